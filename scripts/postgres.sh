#!/bin/sh
# A private PostgreSQL server for tests.
#
#   scripts/postgres.sh start DIR   makes a cluster in DIR, starts it on a free loopback port, prints its URL
#   scripts/postgres.sh stop DIR    stops it and removes the cluster
#
# Uses the server binaries of Debian's `postgresql` package and installs it where they are missing. The server refuses to run as
# root, so root runs it as `postgres`, or as `nobody` where that user does not exist. Anybody on this machine may connect: keep
# nothing in it.
set -eu

fail() {
    echo "postgres.sh: $*" >&2
    exit 1
}

binaries() {
    for folder in $(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -rV); do
        if [ -x "$folder/initdb" ] && [ -x "$folder/pg_ctl" ]; then
            echo "$folder"
            return
        fi
    done
}

install_server() {
    command -v apt-get >/dev/null || fail "no PostgreSQL server under /usr/lib/postgresql, and no apt-get to install it with"
    become=""
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || fail "no PostgreSQL server under /usr/lib/postgresql; install the package 'postgresql'"
        become="sudo"
    fi
    # Without the package's own cluster: this script makes one.
    $become mkdir -p /etc/postgresql-common
    $become sh -c 'grep -qs create_main_cluster /etc/postgresql-common/createcluster.conf \
        || echo "create_main_cluster = false" >>/etc/postgresql-common/createcluster.conf'
    $become env DEBIAN_FRONTEND=noninteractive apt-get update -q >&2
    $become env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends postgresql >&2
}

# Runs a command as a user the server agrees to run as.
unprivileged() {
    if [ "$(id -u)" -ne 0 ]; then
        "$@"
    else
        runuser -u "$user" -- "$@"
    fi
}

free_port() {
    port=54320
    while [ "$port" -lt 54920 ]; do
        # /proc/net/tcp lists local addresses as hexadecimal address:port.
        hex=$(printf ':%04X' "$port")
        if ! cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | awk '{print $2}' | grep -q "$hex\$"; then
            echo "$port"
            return
        fi
        port=$((port + 1))
    done
    fail "no free port between 54320 and 54920"
}

user=postgres
if [ "$(id -u)" -eq 0 ] && ! id "$user" >/dev/null 2>&1; then
    user=nobody
fi

[ $# -eq 2 ] || fail "usage: postgres.sh start|stop DIR"
mkdir -p "$2"
dir=$(cd "$2" && pwd)
data="$dir/data"

case "$1" in
start)
    [ -n "$(binaries)" ] || install_server
    bin=$(binaries)
    [ -n "$bin" ] || fail "the package 'postgresql' brought no server"
    if [ "$(id -u)" -eq 0 ] && [ "$user" = nobody ] && id postgres >/dev/null 2>&1; then
        user=postgres
    fi
    if [ "$(id -u)" -eq 0 ]; then
        chown "$user" "$dir"
        unprivileged test -w "$dir" || fail "$user cannot reach $dir; give a folder it may enter, for example one under /tmp"
    fi
    if [ ! -f "$data/PG_VERSION" ]; then
        unprivileged "$bin/initdb" -D "$data" -U synod -A trust -E UTF8 --no-locale --no-sync >"$dir/initdb.log" 2>&1 ||
            fail "initdb failed: $(tail -n 3 "$dir/initdb.log")"
    fi
    if ! unprivileged "$bin/pg_ctl" -D "$data" status >/dev/null 2>&1; then
        started=no
        for attempt in 1 2 3; do
            port=$(free_port)
            # Nothing here has to survive a crash of the machine.
            options="-c listen_addresses=127.0.0.1 -c port=$port -c unix_socket_directories='$dir' -c fsync=off -c max_connections=200"
            if unprivileged "$bin/pg_ctl" -D "$data" -l "$dir/server.log" -w -t 60 -o "$options" start >"$dir/start.log" 2>&1; then
                echo "$port" >"$dir/port"
                started=yes
                break
            fi
        done
        [ "$started" = yes ] || fail "the server did not start: $(tail -n 3 "$dir/server.log" 2>/dev/null || cat "$dir/start.log")"
    fi
    echo "postgres://synod@127.0.0.1:$(cat "$dir/port")/postgres"
    ;;
stop)
    bin=$(binaries)
    [ -n "$bin" ] || fail "no PostgreSQL server under /usr/lib/postgresql"
    if [ -f "$data/PG_VERSION" ]; then
        unprivileged "$bin/pg_ctl" -D "$data" -m immediate -w stop >/dev/null 2>&1 || true
        rm -rf "$data"
    fi
    rm -f "$dir/port" "$dir/initdb.log" "$dir/start.log" "$dir/server.log"
    ;;
*)
    fail "usage: postgres.sh start|stop DIR"
    ;;
esac
