"""The benchmark runs every scene of its list, tiny, and what it writes can be read: JSON with a row for every engine, a
page with the same tables. Counts and quality are checked, times are not: they are the machine's.
usage: check_bench.py PROGRAM"""
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

program = sys.argv[1]
folder = tempfile.TemporaryDirectory()
files = [pathlib.Path(folder.name) / name for name in ("bench.json", "bench.md")]


def call(*arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=280)


def rows_of(name, *arguments):
    """What one scene wrote."""
    files[1].unlink(missing_ok=True)
    done = call("--quick", "--only", name, "--json", files[0], "--markdown", files[1], *arguments)
    assert done.returncode == 0 and not done.stderr, (name, done.returncode, done.stderr)
    report = json.loads(files[0].read_text())
    assert report["machine"]["cores"] > 0 and report["machine"]["bytes_a_second"] > 1e7, report["machine"]
    page = files[1].read_text()
    scenes = list(dict.fromkeys(row["scene"] for row in report["rows"]))
    assert [line[3:] for line in page.splitlines() if line.startswith("## ")] == scenes, page
    assert sum(line.startswith("| ") for line in page.splitlines()) == len(report["rows"]) + len(scenes), page
    assert "--json" not in page and folder.name not in page, "the page tells how to make it, not where it lay"
    for row in report["rows"]:
        for key, value in row.items():
            good = value is None or isinstance(value, str) or math.isfinite(value)
            assert good and ("seconds" not in key or value is None or value >= 0), (key, row)
    return report["rows"]


def engines(rows, scene):
    return [row["engine"] for row in rows if row["scene"] == scene]


def check_race(rows, scene):
    found = engines(rows, scene)
    assert found[0] == "kugel" and len(set(found)) == len(found), found
    own = rows[0]
    assert own["n"] == 200 and own["escaped"] == 0 and own["bytes_a_body"] > 100 and own["ratio"] == 1, own
    stages = [row for row in rows if row["scene"] == "STAGES"]
    names = ("grid", "pairs", "contact", "sweep", "impact", "advance", "record")
    assert len(stages) == 1 and abs(sum(stages[0][name] for name in names) - 1) < 1e-6, stages


def check_gas(rows):
    check_race(rows, "GAS")
    assert abs(rows[0]["energy_change"]) < 1e-12 and rows[0]["worst_depth"] == 0, rows[0]


def check_pile(rows):
    check_race(rows, "PILE")
    assert rows[0]["worst_depth"] < 0.02 and rows[0]["mean_depth"] < 0.001, rows[0]


def check_mesh(rows):
    assert [row["triangles"] for row in rows if row["engine"] == "kugel"] == [0, 20000], rows
    for row in rows:
        assert row["scene"] == "MESH" and row["n"] == 200 and row["seconds"] >= row["seconds_least"], row
        if row["engine"] == "kugel":
            assert row["lost"] == 0 and row["deepest"] < 1e-3 and row["speed"] < 0.1, row


def check_hills(rows):
    own = [row for row in rows if row["engine"] == "kugel"]
    assert [row["edge"] for row in own] == [4, 1, 0.28, 0.14], rows
    for row in own:
        assert row["lost"] == 0 and row["deepest"] < 0.02 and row["worst_depth"] < 0.02 and row["bytes_a_body"] > 100, row


def check_level(rows):
    assert engines(rows, "LEVEL")[0] == "kugel" and all(row["seconds_mean"] > 0 for row in rows), rows
    assert rows[0]["deepest"] < 0.02 and rows[0]["worst_depth"] < 0.02, rows[0]


def check_small(rows):
    own = [(row["n"], row["spheres"]) for row in rows if row["engine"] == "kugel"]
    assert own == [(1, "at rest apart"), (1, "in flight"), (10, "at rest apart"), (10, "in flight"), (10, "pile at rest")], own
    assert all(row["seconds"] > 0 for row in rows), rows


def check_roll(rows):
    assert engines(rows, "ROLL")[0] == "kugel", rows
    own = rows[0]
    # the floor is the plane: tests/behaviour/test_surfaces.c compares the bits
    assert own["hops"] == own["lost"] == 0 and own["highest"] < 1e-6 and own["speed_error"] < 1e-9, own


def check_shots(rows, scene, count):
    own = [row for row in rows if row["engine"] == "kugel"]
    for row in rows:
        assert row["scene"] == scene and row["right"] + row["missed"] + row["wrong"] == row["bullets"] == 20, row
    assert len(own) == count and all(row["right"] == 20 for row in own), own


def check_bullets(rows):
    check_shots(rows, "BULLETS", 2)


def check_headon(rows):
    check_shots(rows, "HEADON", 1)


def check_query(rows):
    for what in ("ray", "cast", "overlap"):
        for spacing in (1.5, 4):
            found = [row["found"] for row in rows if row["what"] == what and row["spacing"] == spacing]
            # rays that start in a sphere do not hit it in Bullet
            off = 1e-3 if what == "overlap" else 0.2
            assert found and max(found) - min(found) <= off * max(found), (what, found)
    assert any(row["what"] == "in pile" for row in rows)


def check_create(rows):
    assert engines(rows, "CREATE")[0] == "kugel" and rows[0]["n"] == 200


def check_read(rows):
    names = ["kugel_world_moves", "kugel_world_read_arrays", "kugel_body_get"]
    assert [row["call"] for row in rows] == names and rows[0]["n"] == 200, rows


def check_snapshot(rows):
    assert [row["scene"] for row in rows[:3]] == ["SNAPSHOT", "RECORD", "RECORD"], rows
    assert rows[0]["same"] == "yes" and 50 < rows[0]["bytes_a_body"] < 1000 and rows[2]["bytes_a_body"] > 5, rows[:3]


def check_exact(rows):
    own = [row for row in rows if row["scene"] == "EXACT"]
    assert [row["eta"] for row in own] == [0.1, 0.3, 0.49], own
    for row in own:
        assert 0.9 < row["over_enskog"] < 1.1 and abs(row["energy_change"]) < 1e-11 and row["impacts_a_second"] > 0, row


def check_lattice(rows):
    own = [row for row in rows if row["scene"] == "LATTICE"]
    assert [row["lattice"] for row in own] == ["jittered", "perfect"] * 2, own
    assert all(row["impacts_a_step"] > 10 and abs(row["energy_change"]) < 1e-12 for row in own), own


def check_threads(rows):
    assert [(row["of"], row["threads"]) for row in rows] == [(scene, n) for scene in ("gas", "pile") for n in (2, 4, 8, 16)], rows
    for row in rows:
        assert row["same"] == "yes" and (row["ratio"] is None) == (row["seconds"] is None), row
        assert row["seconds_one"] > 0 and row["ratio_of_ranges"] > 0, row


def check_mixed(rows):
    piles = [row for row in rows if row["scene"] == "MIXED"]
    own = [row for row in piles if row["engine"] == "kugel"]
    assert len(own) == 11 and own[0]["radii"] == "one size" and len(piles) % 11 == 0, own
    for row in own:
        assert row["steps"] == 60 and row["escaped"] == 0 and row["budgets_exhausted"] == 0, row
        assert row["mean_depth"] < 0.01 and row["worst_depth"] < 0.1 and row["seconds_a_meeting"] > 0, row
    gases = [row for row in rows if row["scene"] == "MIXED GAS" and row["engine"] == "kugel"]
    assert [row["radii"] for row in gases] == ["1:1", "1:2", "1:10", "1:100"], gases
    assert all(abs(row["energy_change"]) < 1e-12 and row["worst_depth"] < 1e-9 and row["escaped"] == 0 for row in gases), gases
    exact = [row for row in rows if row["scene"] == "MIXED EXACT"]
    assert len(exact) == 4 and all(abs(row["energy_change"]) < 1e-11 for row in exact), exact
    # 1:100 has few impacts
    assert all(abs(row["over_bmcsl"] - 1) < 0.02 and abs(row["over_enskog"] - 1) < 0.1 for row in exact[:3]), exact


def check_size(rows):
    own = [row for row in rows if row["engine"] == "kugel"]
    assert [row["radius"] for row in own] == [0.5, 0.1, 0.01, 1e-3, 1e-4], own
    for row in own:
        assert row["escaped"] == 0 and row["mean_depth"] < 0.002 and row["worst_depth"] < 0.02, row
    assert own[0]["substeps_most"] == 4 and own[-1]["substeps_most"] == 280, own


def check_ranks(rows):
    assert [(row["scaling"], row["ranks"]) for row in rows] == [(kind, n) for kind in ("strong", "weak", "pile") for n in (1, 2, 4)], rows
    for row in rows:
        assert row["same"] == "yes" and row["seconds_model"] >= row["seconds_compute"] > 0, row
        divided = row["ranks"] > 1 and row["scaling"] != "pile"  # piles are replicated: ranks only agree on a status
        assert (row["messages"] > 0) == (row["ghosts_a_body"] > 0) == divided and row["bytes"] > 0, row


def check_solver(rows):
    assert len(rows) == 5 and all(row["max_depth"] < 0.05 for row in rows), rows


def check_surfaces(rows):
    assert [row["n"] for row in rows] == [row["resting_contacts"] for row in rows] == [25, 50, 100, 200], rows


def check_rest(rows):
    assert [(row["n"], row["static"], row["asleep"]) for row in rows] == [(0, 0, 0), (200, 0, 200), (200, 1, 0)], rows


def check_awake(rows):
    """Sleepers sleep, and a pile stays awake beside the platform."""
    found = [(row["awake"], row["pile"], row["asleep"], row["platform"]) for row in rows]
    assert found == [(1000, 0, 0, 0), (1000, 0, 200, 0), (3000, 1, 0, 0), (3000, 1, 0, 1)], rows


def check_local(rows):
    """Scene A has the same bits beside each other scene."""
    assert len(rows) == 9 and all(row["differs"] == 0 and row["ratio"] > 0 for row in rows), rows


def check_page_of_two_runs():
    """A run replaces its sections of the page and keeps the others, and those with more rows."""
    page, words = files[1], lambda n: len(re.findall(rf"\| {n} \||rows: n {n}\b", page.read_text()))
    page.unlink(missing_ok=True)
    for scene, n in (("create", 30), ("read", 30), ("create", 40)):
        assert call("--quick", "--only", scene, "--size", str(n), "--markdown", page).returncode == 0
    heads = [line for line in page.read_text().splitlines() if line.startswith("#")]
    assert heads == ["# Runs of kugel-bench", "## CREATE", "## READ"], heads
    assert words(30) == 1 and words(40) >= 1, page.read_text()
    page.write_text(page.read_text().replace("## READ", "| 1 | more |\n\n## READ"))
    kept = call("--quick", "--only", "create", "--size", "50", "--markdown", page).stdout
    assert "CREATE: the page keeps a run with more rows" in kept and words(50) == 0 and words(40) >= 1, kept


def check_wrong(arguments, words):
    done = call(*arguments)
    assert done.returncode == 2 and words in done.stderr and done.stderr.count("\n") == 1, (arguments, done)


listed = [line.split()[0] for line in call("--list").stdout.splitlines()]
assert sorted(f"check_{name}" for name in listed) == sorted(
    name for name in globals() if name.startswith("check_") and name not in ("check_race", "check_shots", "check_wrong", "check_page_of_two_runs")), listed
for scene in listed:
    globals()[f"check_{scene}"](rows_of(scene, "--size", "200"))
    print("ok:", scene)
check_page_of_two_runs()
check_wrong(["--only", "billiards"], "--only: must be one of --list, got 'billiards'")
check_wrong(["--size", "9"], "--size: must be a number from 10 to 10000000, got '9'")
check_wrong(["--size", "-1"], "got '-1'")
check_wrong(["--eta", "1"], "--eta: must be a number from 0.01 to 0.6, got '1'")
check_wrong(["--cap", "-1"], "--cap: must be a number from 0 to 1e+06, got '-1'")
check_wrong(["--mix", "1:10"], "--mix: must be a pile of 'mixed', such as 'power 1:20', got '1:10'")
check_wrong(["--per-tick", "x"], "--per-tick: must be a number from 0.01 to 1000, got 'x'")
check_wrong(["gas"], "gas: there are no arguments but options")
check_wrong(["--slow"], "slow")
check_wrong(["--json", str(files[0]), "--markdown", f"{folder.name}/./bench.json"], "--markdown: ")
unwritable = call("--only", "create", "--json", "/nowhere/bench.json")
assert unwritable.returncode == 4 and unwritable.stderr.startswith("kugel-bench: /nowhere/bench.json: "), unwritable
full = call("--quick", "--only", "create", "--size", "10", "--json", "/dev/full")
assert full.returncode == 4 and "could not be written" in full.stderr, full
with open("/dev/full", "w") as out:
    lost = subprocess.run([program, "--quick", "--only", "headon", "--size", "10"], stdout=out, stderr=subprocess.PIPE, text=True)
assert lost.returncode == 4 and lost.stderr == "kugel-bench: standard output could not be written\n", lost
print("ok: wrong options")
