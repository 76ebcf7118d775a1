"""The script that a team's CI runs: what it prints and how it ends, for goldens that are the same, differ, or cannot be
compared.
usage: check_goldens.py SOURCE BUILD"""
import os
import pathlib
import subprocess
import sys
import tempfile

source, build = map(pathlib.Path, sys.argv[1:])
script = source / "tools/ci/check_goldens.py"
runner = build / "samples/kugel-run"
os.environ["KUGEL_REPLAY"] = str(build / "tools/replay/kugel-replay")
scratch = tempfile.TemporaryDirectory()
folder = pathlib.Path(scratch.name)
goldens, empty = folder / "goldens", folder / "empty"
record = [runner, "{name}", "--ticks", "5", "--quiet", "--record", "{file}"]


def check(code, text, *arguments):
    """It ends with the code, and prints the text but no traceback."""
    done = subprocess.run([sys.executable, script, *arguments], capture_output=True, text=True, timeout=100)
    said = done.stdout + done.stderr
    assert done.returncode == code and text in said and "Traceback" not in said, (arguments, done)


def make(name):
    subprocess.run([runner, name, "--ticks", "5", "--quiet", "--record", goldens / f"{name}.kugel"], check=True,
                   stdout=subprocess.DEVNULL)


goldens.mkdir(), empty.mkdir()
make("gas")
golden, new = goldens / "gas.kugel", goldens / "gas.new.kugel"
check(0, "same gas", goldens, *record)
assert not new.exists()
check(1, "DIFFERENT gas: the program records something else: different: ", goldens, *record, "--ticks", "4")
assert new.exists()

# wrong use: no programs, no recordings
check(2, "usage: check_goldens.py", goldens)
check(2, f"{empty} holds no recordings (NAME.kugel)", empty, *record)
check(2, f"{folder / 'no-folder'} holds no recordings (NAME.kugel)", folder / "no-folder", *record)
check(2, "no-such-program: cannot be run: No such file or directory", goldens, "no-such-program", "{file}")

# a command that fails, or writes its recording elsewhere
check(1, "DIFFERENT gas: the command failed with exit code 2: kugel-run: --ticks: must be", goldens, *record, "--ticks", "x")
check(1, f"DIFFERENT gas: the command did not write {new}", goldens, runner, "gas", "--ticks", "5", "--quiet")

# a cut golden cannot be played; an update replaces it
golden.write_bytes(golden.read_bytes()[:200])
check(1, "DIFFERENT gas: it cannot be verified: kugel-replay: ", goldens, *record)
check(0, "updated gas: it cannot be verified: ", "--update", goldens, *record)
check(0, "same gas", goldens, *record)

os.environ["KUGEL_REPLAY"] = "no-such-replay"
check(2, "no-such-replay: cannot be run: No such file or directory", goldens, *record)
