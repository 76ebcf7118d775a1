#!/usr/bin/env python3
"""Check goldens: committed recordings that must play to the same bits, and that the program must still make.
usage: check_goldens.py [--update] FOLDER COMMAND...

FOLDER holds NAME.kugel; COMMAND records NAME again, with {name} and {file} in its words replaced. A golden fails when
kugel-replay (KUGEL_REPLAY of the environment, else that of PATH) finds a difference. Then the new recording is kept as
NAME.new.kugel. --update makes it the golden. Exit code 0: all are the same or updated; 1: a difference; 2: wrong usage,
no recordings, or a program is missing."""
import os
import pathlib
import subprocess
import sys


def stop(text):
    print(text, file=sys.stderr)
    sys.exit(2)


def run(*command):
    """(its exit code, its output)"""
    try:
        done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    except OSError as error:
        stop(f"{command[0]}: cannot be run: {error.strerror}")
    return done.returncode, done.stdout.strip()


def difference(golden, new, command):
    """What is wrong with a golden, or None."""
    replay = os.environ.get("KUGEL_REPLAY", "kugel-replay")
    code, text = run(*(word.replace("{name}", golden.stem).replace("{file}", str(new)) for word in command))
    if code:
        return f"the command failed with exit code {code}: {text}"
    if not new.exists():
        return f"the command did not write {new}, which {{file}} stands for"
    code, text = run(replay, "verify", golden)
    if code:
        return f"{'it plays differently' if code == 1 else 'it cannot be verified'}: {text}"
    code, text = run(replay, "diff", golden, new)
    return f"the program records something else: {text}" if code else None


def main(update, folder, command):
    goldens = sorted(path for path in folder.glob("*.kugel") if not path.name.endswith(".new.kugel"))
    if not goldens:
        stop(f"{folder} holds no recordings (NAME.kugel)")
    failed = 0
    for golden in goldens:
        new = golden.with_suffix(".new.kugel")
        new.unlink(missing_ok=True)
        wrong = difference(golden, new, command)
        if wrong and update and new.exists():
            new.replace(golden)
            print(f"updated {golden.stem}: {wrong}")
        elif wrong:
            failed += 1
            print(f"DIFFERENT {golden.stem}: {wrong}")
        else:
            new.unlink()
            print(f"same {golden.stem}")
    return int(failed > 0)


arguments = sys.argv[1:]
updating = arguments[:1] == ["--update"]
if len(arguments) < 2 + updating:
    stop(__doc__)
sys.exit(main(updating, pathlib.Path(arguments[updating]), arguments[updating + 1:]))
