#compdef synod
# Completions for zsh: synod completions zsh > "${fpath[1]}/_synod"
_synod() {
    local line
    local -a described
    for line in "${(@f)$("${words[1]}" complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
        [[ -n $line ]] || continue
        local name=${line%%$'\t'*} about=
        [[ $line == *$'\t'* ]] && about=${line#*$'\t'}
        described+=("${name//:/\\:}${about:+:$about}")
    done
    if (( ${#described} )); then
        _describe -V synod described
    else
        _files
    fi
}
if [[ $funcstack[1] == _synod ]]; then
    _synod "$@"
else
    compdef _synod synod
fi
