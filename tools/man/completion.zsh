#compdef kugel-run kugel-replay kugel-bench
# Completion in zsh for kugel-run, kugel-replay and kugel-bench. Options, commands and formats come
# from the program's --help, samples from its --list.

_kugel() {
    local program=$words[1] name=${words[1]:t} before=$words[CURRENT-1]
    local -a offered
    case $before in
    --format) offered=(${=$("$program" --help 2>/dev/null | sed -n 's/.*--format \([a-z|, ]*\).*/\1/p' | sed 's/ or / /g; y/|,/  /')}) ;;
    --only) offered=(${=$("$program" --list 2>/dev/null | grep -oE '^[a-z]+')}) ;;
    --live) offered=(auto on off) ;;
    --colours) offered=(id speed radius none) ;;
    --without) offered=(Bullet ODE) ;;
    --ticks | --tick | --dt | --substeps | --threads | --memory | --seed | --every | --checkpoint-every | --log-every | --last | --camera | --size | --per-tick | --eta | --peers | --cap | --latency | --bandwidth) return ;;
    --restart | --checkpoint | --csv | --export | --events | --series | --forces | --record | --video | --view | --json | --markdown | -o) _files; return ;;
    *)
        if [[ $words[CURRENT] == -* ]]; then
            offered=(--help ${=$("$program" --help 2>/dev/null | grep -oE -e '--[a-z][a-z-]+' | sort -u)})
        elif [[ $name == kugel-run ]]; then
            offered=(${=$("$program" --list 2>/dev/null | grep -oE '^[a-z][a-z0-9-]+')})
            _files
        elif [[ $name == kugel-replay && $CURRENT -eq 2 ]]; then
            offered=(${=$("$program" --help 2>/dev/null | grep -oE 'kugel-replay [a-z]+' | cut -d' ' -f2)})
        else
            _files
        fi
        ;;
    esac
    compadd -- $offered
}

_kugel "$@"
