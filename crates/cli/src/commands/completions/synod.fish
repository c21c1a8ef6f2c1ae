# Completions for fish: synod completions fish > ~/.config/fish/completions/synod.fish
function __synod_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    $words[1] complete -- $words[2..-1] "$current" 2>/dev/null
end
complete -c synod -a '(__synod_complete)'
