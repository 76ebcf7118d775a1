"""Parameter sweeps of the Python module: processes, threads, dask, progress, rows that reproduce, failures.
usage: check_sweep.py SOURCE BUILD; exit 77 with the reason when it cannot run."""
import concurrent.futures
import contextlib
import io
import os
import pathlib
import subprocess
import sys

build = pathlib.Path(sys.argv[2]).resolve()
packages = build / "tools/python"
try:
    import numpy
except ImportError:
    print("skipped: no numpy (Debian: python3-numpy)")
    sys.exit(77)
names = subprocess.run(["nm", "-D", packages / "kugel/libkugel.so"], capture_output=True, text=True).stdout
if "__asan" in names or "__tsan" in names or "__ubsan" in names:
    print("skipped: a sanitized library cannot be loaded by Python")
    sys.exit(77)
sys.path.insert(0, str(packages))
os.environ["PYTHONPATH"] = str(packages)  # of dask's workers
import kugel


def bounce(restitution, height=2.0, seed=0):
    """A ball that falls on a floor: the speed after its first impact."""
    world = kugel.World(gravity=(0, 0, -10))
    world.create_plane(normal=(0, 0, 1))
    x = numpy.random.default_rng(seed).uniform()
    ball = world.create_body(position=(x, 0, height + 0.5), restitution=restitution)
    while not len(world.impact_events()):
        world.step(1 / 60)
    return {"speed": world.get_velocity(ball)[2] + 10 * (1 / 60 - world.impact_events()["time"][0]), "place": world.get_position(ball),
            "hash": world.hash(), "process": os.getpid()}


def slow(seed):
    """Not reproducible."""
    return {"process": os.getpid()}


def without_process(**parameters):
    row = bounce(**parameters)
    del row["process"]
    return row


def measured(restitution, height=2.0, seed=0):
    return without_process(restitution=restitution, height=height, seed=seed)


def fails(x):
    if x == 3:
        raise ValueError("three")
    return x


def ragged(x):
    return numpy.zeros(x)


def other_names(x):
    return {f"x{x}": x}


def square(x):
    return x * x


def raised(kind, call, *rest, **named):
    try:
        call(*rest, **named)
    except kind as error:
        return str(error)
    raise AssertionError("no error")


def check_processes():
    """Rows in the order of combinations; v = e sqrt(2 g h); more than one process; the rows reproduce bit for bit."""
    table = kugel.sweep(bounce, workers=2, restitution=[0.6, 0.9, 1.0], height=numpy.array([1.0, 5.0]), repeats=4)
    assert table.dtype.names == ("restitution", "height", "seed", "speed", "place", "hash", "process") and len(table) == 24
    assert list(table["restitution"]) == [0.6] * 8 + [0.9] * 8 + [1.0] * 8 and list(table["seed"][:5]) == [0, 1, 2, 3, 0]
    assert table["place"].shape == (24, 3) and table["hash"].dtype == numpy.uint64
    assert numpy.allclose(table["speed"], table["restitution"] * numpy.sqrt(20 * table["height"]), rtol=1e-9)
    assert os.getpid() not in table["process"] and len(set(table["hash"].tolist())) == 24
    again = kugel.sweep(measured, workers=1, height=1.0, restitution=[0.6, 0.9], seed=[0, 3])
    assert again["hash"].tolist() == table["hash"][[0, 3, 8, 11]].tolist()
    for row in again:
        assert kugel.reproduce(measured, row)["hash"] == row["hash"]
    assert "depends on more" in raised(kugel.Error, kugel.reproduce, slow, kugel.sweep(slow, workers=1, repeats=1)[0])


def check_results():
    """Numbers, single values, texts; threads of an executor; what makes no array is refused with its name."""
    threads = concurrent.futures.ThreadPoolExecutor(2)
    table = kugel.sweep(square, client=threads, x=range(5))
    assert table["result"].tolist() == [0, 1, 4, 9, 16]
    assert kugel.sweep(square, client=threads, x=3)["result"].tolist() == [9]
    assert kugel.sweep(lambda name: len(name), client=threads, name=["a", "ccc"])["result"].tolist() == [1, 3]
    assert kugel.reproduce(square, table[3]) == {"result": 9}
    assert "result" in raised(TypeError, kugel.sweep, ragged, client=threads, x=[1, 2])
    assert "x2" in raised(TypeError, kugel.sweep, other_names, client=threads, x=[1, 2])
    assert "'x'" in raised(TypeError, kugel.sweep, lambda x: {"x": 1}, client=threads, x=[1])
    assert "seed" in raised(TypeError, kugel.sweep, slow, client=threads, seed=[1], repeats=2)
    assert "parameters" in raised(kugel.Error, kugel.sweep, square, client=threads, x=[])


def check_exact_values():
    """No bit of a value is lost, and measure gets what the table has; what an array cannot hold is refused."""
    threads, ran = concurrent.futures.ThreadPoolExecutor(2), []
    hashes = lambda n: {"hashes": numpy.array([2**63 + 11, n], numpy.uint64)}
    assert kugel.sweep(hashes, client=threads, n=[5])["hashes"].tolist() == [[2**63 + 11, 5]]
    assert "hashes" in raised(TypeError, kugel.sweep, lambda n: {"hashes": [2**63 + 11, n]}, client=threads, n=[5])
    assert "-3" in raised(TypeError, kugel.sweep, lambda n: {"h": 2**63 + 11 if n else -3}, client=threads, n=[1, 0])
    assert kugel.sweep(lambda x: numpy.nan if x else 0.5, client=threads, x=[0, 1])["result"][0] == 0.5
    name = lambda n: type(n).__name__
    for values, given in ([2, 3.5], "float"), ([2, 3], "int"), ([True, False], "bool"), (["a", "b"], "str"), ([[1, 2], [3, 4]], "ndarray"):
        table = kugel.sweep(name, client=threads, n=values)
        assert table["result"].tolist() == [given] * 2 and kugel.reproduce(name, table[0]) == {"result": given}
    for values in [None, {"faces": "wall"}], ["a", 2], [2**63 + 1, -1], [[1, 2], [3]]:
        assert "n: " in raised(TypeError, kugel.sweep, ran.append, client=threads, n=values)
    assert not ran, "run before the values are known to make a column"


def height(n, height=7):
    return {"height": n * height}


def check_names_of_results():
    """A result has no name of a parameter, also of one with a default; the first result says so."""
    for measure in height, other_names:
        done = []
        text = raised(TypeError, kugel.sweep, measure, client=concurrent.futures.ThreadPoolExecutor(1), progress=lambda k, n: done.append(k),
                      **{"n" if measure is height else "x": range(9)})
        assert ("'height'" in text and not done) or ("x1" in text and len(done) == 1), text


def check_failures():
    """The failed run's parameters are named, in processes too."""
    for client in (None, concurrent.futures.ThreadPoolExecutor(2)):
        text = raised(kugel.Error, kugel.sweep, fails, workers=2, client=client, x=range(6))
        assert "{'x': 3}" in text and "three" in text, text


def check_progress():
    seen, threads = [], concurrent.futures.ThreadPoolExecutor(2)
    kugel.sweep(square, client=threads, progress=lambda done, total: seen.append((done, total)), x=range(3))
    assert seen == [(1, 3), (2, 3), (3, 3)]
    with contextlib.redirect_stderr(io.StringIO()) as out:
        kugel.sweep(square, client=threads, progress=True, x=range(2))
    assert out.getvalue() == "\r1/2 runs\r2/2 runs\n"


def check_dask():
    """Two local workers give the rows of processes."""
    try:
        import distributed
    except ImportError:
        print("skipped: dask: no distributed (Debian: python3-distributed)")
        return
    settings = dict(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50)
    with distributed.LocalCluster(**settings) as cluster, distributed.Client(cluster) as client:
        table = kugel.sweep(bounce, client=client, restitution=[0.6, 0.9], repeats=3)
    here = kugel.sweep(bounce, workers=1, restitution=[0.6, 0.9], repeats=3)
    assert (table["hash"] == here["hash"]).all() and os.getpid() not in table["process"]


if __name__ == "__main__":  # dask's workers import this file
    for name, check in list(globals().items()):
        if name.startswith("check_"):
            check()
            print("ok:", name[6:])
