# Completion in bash for kugel-run, kugel-replay and kugel-bench. Options, commands and
# formats come from the program's --help, samples from its --list.

_kugel_words() {
    # usage: _kugel_words PATTERN PROGRAM ARGUMENT: matching words of the program's output
    "$2" "$3" 2>/dev/null | grep -oE -e "$1" | sort -u
}

_kugel() {
    local program=$1 word=$2 before=$3 words="" IFS=$' \t\n'
    COMPREPLY=()
    case $before in
    --format) words=$("$program" --help 2>/dev/null | sed -n 's/.*--format \([a-z|, ]*\).*/\1/p' | sed 's/\bor\b//g; y/|,/  /') ;;
    --only) words=$(_kugel_words '^[a-z]+' "$program" --list) ;;
    --live) words="auto on off" ;;
    --colours) words="id speed radius none" ;;
    --without) words="Bullet ODE" ;;
    --ticks | --tick | --dt | --substeps | --threads | --memory | --seed | --every | --checkpoint-every | --log-every | --last | --camera | --per-tick | --eta | --size | --peers | --cap | --latency | --bandwidth) return ;;
    --restart | --checkpoint | --csv | --export | --events | --series | --forces | --record | --video | --view | --json | --markdown | -o) compopt -o default; return ;;
    *)
        if [[ $word == -* ]]; then
            words="--help $(_kugel_words '--[a-z][a-z-]+' "$program" --help)"
        elif [[ ${program##*/} == kugel-run ]]; then
            words=$(_kugel_words '^[a-z][a-z0-9-]+' "$program" --list)
        elif [[ ${program##*/} == kugel-replay && $COMP_CWORD -eq 1 ]]; then
            words=$(_kugel_words 'kugel-replay [a-z]+' "$program" --help | cut -d' ' -f2)
        fi
        compopt -o default 2>/dev/null
        ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

complete -F _kugel kugel-run kugel-replay kugel-bench
