# Synod's server. docs/server.md says how to make its first key and how to run it.

FROM rust:1.95-slim-bookworm AS build
WORKDIR /src
COPY Cargo.toml Cargo.lock ./
COPY .cargo .cargo
COPY crates crates
# SQLite and ring are built from C; the image has a compiler.
RUN cargo build --profile dist --locked -p synod

FROM debian:bookworm-slim
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates \
    && rm -rf /var/lib/apt/lists/* \
    && groupadd --gid 10001 synod \
    && useradd --uid 10001 --gid 10001 --home-dir /data --no-create-home --shell /usr/sbin/nologin synod \
    && install -d -o synod -g synod -m 0700 /data
COPY --from=build /src/target/dist/synod /usr/local/bin/synod
ENV HOME=/data \
    SYNOD_DB=/data/synod.db
# Not /data: a synod.toml in the working directory is not trusted.
WORKDIR /
USER 10001:10001
VOLUME /data
EXPOSE 7433
# No curl in the image. The server answers only to names it knows, so the check calls it localhost.
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s \
    CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/7433 && printf 'GET /readyz HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' >&3 && read -r line <&3 && [[ $line == *' 200 '* ]]"]
ENTRYPOINT ["synod"]
CMD ["serve", "--addr", "0.0.0.0:7433"]
