#!/usr/bin/env python3
"""Check goldens: committed recordings that must play to the same bits, and that the program must still make.
usage: check_goldens.py [--update] FOLDER COMMAND...

FOLDER holds NAME.kugel; COMMAND records NAME again, with {name} and {file} in its words replaced. A golden fails when
kugel-replay (KUGEL_REPLAY of the environment, else that of PATH) finds a difference. Then the new recording is kept as
NAME.new.kugel. --update makes it the golden. Exit code 0: all are the same or updated; 1: a difference; 2: wrong usage."""
import os
import pathlib
import subprocess
import sys


def run(*command):
    """(whether it ended with 0, its output)"""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode == 0, done.stdout.strip()


def difference(golden, new, command):
    """What is wrong with a golden, or None."""
    replay = os.environ.get("KUGEL_REPLAY", "kugel-replay")
    ok, text = run(*(word.replace("{name}", golden.stem).replace("{file}", str(new)) for word in command))
    if not ok or not new.exists():
        return f"the command failed: {text}"
    ok, text = run(replay, "verify", golden)
    if not ok:
        return f"it plays differently: {text}"
    ok, text = run(replay, "diff", golden, new)
    return None if ok else f"the program records something else: {text}"


def main(update, folder, command):
    goldens = sorted(path for path in folder.glob("*.kugel") if not path.name.endswith(".new.kugel"))
    if not goldens:
        sys.exit(f"{folder} holds no recordings (NAME.kugel)")
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
    print(__doc__, file=sys.stderr)
    sys.exit(2)
sys.exit(main(updating, pathlib.Path(arguments[updating]), arguments[updating + 1:]))
