# Completion in fish for kugel-run, kugel-replay and kugel-bench. Options, commands and formats come
# from the program's --help, samples from its --list.

function __kugel_options
    echo --help
    $argv[1] --help 2>/dev/null | string match -ra -- '--[a-z][a-z-]+' | sort -u
end

function __kugel_formats
    $argv[1] --help 2>/dev/null | string replace -rf -- '.*--format ([a-z|, ]*).*' '$1' | string replace -a ' or ' ' ' | string split -n ' ' | string split -n ',' | string split -n '|' | sort -u
end

function __kugel_samples
    kugel-run --list 2>/dev/null | string match -r -- '^[a-z][a-z0-9-]+'
end

function __kugel_commands
    kugel-replay --help 2>/dev/null | string replace -rf -- '.*kugel-replay ([a-z]+) .*' '$1'
end

# usage: __kugel_values PROGRAM OPTION ARGUMENTS...: what completes an option's value, if the program has it
function __kugel_values
    contains -- --$argv[2] $__kugel_known; and complete -c $argv[1] -l $argv[2] $argv[3..]
end

for program in kugel-run kugel-replay kugel-bench
    type -q $program; or continue
    set -g __kugel_known (__kugel_options $program)
    complete -c $program -n 'string match -q -- "-*" (commandline -ct)' -f -a "(__kugel_options $program)"
    __kugel_values $program format -x -a "(__kugel_formats $program)"
    __kugel_values $program live -x -a "auto on off"
    __kugel_values $program colours -x -a "id speed radius none"
    for option in ticks tick dt substeps threads memory seed every checkpoint-every log-every last camera size
        __kugel_values $program $option -x
    end
    for option in restart checkpoint csv export events series forces record video view
        __kugel_values $program $option -r -F
    end
end
set -e __kugel_known
complete -c kugel-run -a "(__kugel_samples)"
complete -c kugel-replay -n 'test (count (commandline -opc)) -eq 1' -f -a "(__kugel_commands)"
