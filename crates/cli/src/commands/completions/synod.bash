# Completions for bash: source <(synod completions bash)
_synod() {
    local word line whole current=${COMP_WORDS[COMP_CWORD]} glue= words=()
    # Bash breaks words at : and =, which stand inside names of models and after flags.
    for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
        if [[ (-n $glue || $word == [:=]*) && ${#words[@]} -gt 0 ]]; then
            words[${#words[@]}-1]+=$word
        else
            words+=("$word")
        fi
        glue=
        [[ $word == *[:=] ]] && glue=1
    done
    [[ $current == [:=] ]] && current=
    whole=${words[${#words[@]}-1]}
    COMPREPLY=()
    while IFS= read -r line; do
        line=${line%%$'\t'*}
        COMPREPLY+=("${line#"${whole%"$current"}"}")
    done < <("${1:-synod}" complete -- "${words[@]}" 2>/dev/null)
    # After an equals sign, a comma list or an endpoint's name something more is to come.
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=/] ]]; then
        compopt -o nospace 2>/dev/null
    fi
}
complete -o default -F _synod synod
