"""Read an export with an independent reader and compare it with a table.

usage: read_back.py FORMAT FILE TABLE PERIODIC open|closed
       read_back.py bonds FILE.gsd CONTACTS.csv: the bonds of each frame are its contacts of two bodies
TABLE: rows of tick time id x y z vx vy vz wx wy wz radius, the box, low x y z, high x y z, and mass; by ticks
and ids.
PERIODIC: FFT ..., a letter an axis; open: the world has open faces.
Prints "same: F frames, R rows", or the first difference and exits with 1; with 77 and a line that says
what is missing where the reader is not installed.
"""
import sys

try:
    import numpy as np

    if sys.argv[1] in ("xyz", "lammps"):
        import ase.io
        import ase.units
    elif sys.argv[1] in ("gsd", "bonds"):
        import gsd.hoomd
    elif sys.argv[1] == "vtp":
        import xml.etree.ElementTree
        import vtk
        from vtk.util.numpy_support import vtk_to_numpy
except ImportError as missing:
    print(f"{missing} (Debian: python3-numpy, python3-ase, python3-gsd, python3-vtk9)")
    sys.exit(77)

TEXT = 1e-8  # relative: numbers of 9 digits
FLOAT = 1e-6  # relative: HOOMD's floats


def read_npy(path):
    """All columns exactly; a frame ends where the tick changes."""
    table = np.load(path)
    for tick in np.unique(table["tick"]):
        rows = table[table["tick"] == tick]
        yield {name: rows[name] for name in ("id", "position", "velocity", "spin", "radius", "mass")} | {
            "tick": tick, "time": rows["time"][0]}


def read_xyz(path):
    for atoms in ase.io.read(path, index=":", format="extxyz"):
        frame = {"tick": atoms.info["tick"], "time": atoms.info["time"], "id": atoms.arrays["id"], "position": atoms.positions,
                 "velocity": atoms.get_velocities(), "radius": atoms.arrays["radius"], "mass": atoms.get_masses(),
                 "within": {"velocity": TEXT, "radius": TEXT, "mass": TEXT}}
        check("velo", atoms.arrays["velo"], frame["velocity"], TEXT)  # OVITO's names of the same
        check("mass", atoms.arrays["mass"], frame["mass"], 0)
        assert set(atoms.symbols) == {"X"}, "an element, which has a mass"
        if atoms.cell.volume:
            low = np.asarray(atoms.info["Origin"], float)
            frame |= {"low": low, "high": low + atoms.cell.lengths(), "periodic": atoms.pbc}
            frame["within"]["high"] = 1e-15
        yield frame


def read_lammps(path):
    """Positions, velocities, order and box by ASE; columns and lines that ASE skips, by their names."""
    lines = open(path).read().split("\n")
    starts = [i for i, line in enumerate(lines) if line.startswith("ITEM: TIME") and "STEP" not in line]
    frames = ase.io.read(path, index=":", format="lammps-dump-text", order=True)
    assert len(starts) == len(frames), f"{len(starts)} frames, ASE sees {len(frames)}"
    for start, atoms in zip(starts, frames):
        head = next(i for i in range(start, len(lines)) if lines[i].startswith("ITEM: ATOMS"))
        rows = np.array([line.split() for line in lines[head + 1:head + 1 + len(atoms)]], float)
        column = {name: rows[:, k] for k, name in enumerate(lines[head].split()[2:])}
        low = atoms.get_celldisp().ravel()
        yield {"tick": int(lines[start + 3]), "time": float(lines[start + 1]), "id": column["id"] - 1, "position": atoms.positions,
               # ASE reads A/ps and converts to its own unit
               "velocity": atoms.get_velocities() * 1000 * ase.units.fs, "radius": column["radius"], "mass": column["mass"],
               "spin": np.stack([column["omega" + axis] for axis in "xyz"], 1),
               "low": low, "high": low + atoms.cell.lengths(), "periodic": atoms.pbc,
               "within": {"velocity": TEXT, "spin": TEXT, "radius": TEXT, "mass": TEXT, "position": 1e-15, "high": 1e-15}}


def read_gsd(path):
    for snapshot in gsd.hoomd.open(path, "rb"):
        center, size = snapshot.log["center"], np.array(snapshot.configuration.box[:3], float)
        p = snapshot.particles
        assert snapshot.configuration.dimensions == 3 and p.types == ["A"] and p.N == len(snapshot.log["particles/id"])
        yield {"tick": snapshot.configuration.step, "time": snapshot.log["time"][0], "id": snapshot.log["particles/id"],
               "position": p.position + center, "velocity": p.velocity, "radius": p.diameter / 2, "mass": p.mass, "spin": snapshot.log["particles/spin"],
               "low": center - size / 2, "high": center + size / 2,
               "within": {name: FLOAT for name in ("position", "velocity", "radius", "mass", "spin", "low", "high")}}


def read_vtp(path):
    for item in xml.etree.ElementTree.parse(path).iter("DataSet"):
        name = path.rpartition("/")[0] + "/" + item.get("file")
        reader = vtk.vtkXMLPolyDataReader()
        reader.SetFileName(name)
        reader.Update()
        data = reader.GetOutput()
        n = data.GetNumberOfPoints()
        assert reader.GetErrorCode() == 0 and data.GetNumberOfVerts() == n, f"{name}: error {reader.GetErrorCode()}, {n} points"
        columns = {array: vtk_to_numpy(data.GetPointData().GetArray(array)) for array in ("id", "velocity", "spin", "radius", "mass")}
        verts = [data.GetCell(i).GetPointId(0) for i in range(n)]
        assert verts == list(range(n)), "a point without a cell is not drawn"
        time = data.GetFieldData().GetArray("TimeValue").GetValue(0)
        assert float(item.get("timestep")) == time
        yield columns | {"tick": int(name[-10:-4]), "time": time, "position": vtk_to_numpy(data.GetPoints().GetData())}


def check(name, got, expected, within):
    got, expected = np.asarray(got), np.asarray(expected)
    if got.shape != expected.shape:
        sys.exit(f"{name}: shape {got.shape}, not {expected.shape}")
    scale = np.abs(expected).max(initial=0)
    wrong = np.argwhere(~(np.abs(got.astype(float) - expected) <= within * scale))
    if len(wrong):
        at = tuple(wrong[0])
        sys.exit(f"{name}{list(at)}: {got[at]!r}, not {expected[at]!r}")


def main(kind, path, table, periodic, faces):
    expected = np.loadtxt(table, ndmin=2)
    ticks = np.unique(expected[:, 0])
    frames = list(globals()["read_" + kind](path))
    if len(frames) != len(ticks):
        sys.exit(f"{len(frames)} frames, not {len(ticks)}")
    for frame, tick in zip(frames, ticks):
        rows = expected[expected[:, 0] == tick]
        wanted = {"tick": tick, "time": rows[0, 1], "id": rows[:, 2], "position": rows[:, 3:6], "velocity": rows[:, 6:9],
                  "spin": rows[:, 9:12], "radius": rows[:, 12], "low": rows[0, 13:16], "high": rows[0, 16:19],
                  "mass": np.where(rows[:, 19] > 0, rows[:, 19], 1e-30),  # static and kinematic bodies
                  "periodic": [letter == "T" for letter in periodic]}
        if kind == "xyz" and faces == "open" and "low" in frame:
            sys.exit("a lattice, which readers take for all there is, where the world has open faces")
        for name in set(wanted) & set(frame):
            check(f"tick {tick:g} {name}", frame[name], wanted[name], frame.get("within", {}).get(name, 0))
    print(f"same: {len(frames)} frames, {len(expected)} rows")


def main_bonds(path, table):
    rows = [line.split(",") for line in open(table)][1:]
    counts = []
    for snapshot in gsd.hoomd.open(path, "rb"):
        bonds, ids = snapshot.bonds, snapshot.log["particles/id"]
        assert bonds.types == ["contact"] and not bonds.typeid.any() and len(bonds.group) == len(bonds.typeid) == bonds.N
        wanted = [[int(row[2]), int(row[4])] for row in rows if int(row[0]) == snapshot.configuration.step and row[3] == "body"]
        check(f"tick {snapshot.configuration.step} bonds", ids[bonds.group].reshape(-1, 2), np.reshape(wanted, (-1, 2)), 0)
        counts.append(str(bonds.N))
    print(f"same: {' '.join(counts)} bonds")


main_bonds(*sys.argv[2:]) if sys.argv[1] == "bonds" else main(*sys.argv[1:])
