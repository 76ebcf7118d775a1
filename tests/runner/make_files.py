"""Write files of bodies with the libraries of their formats, for test_body_files.c.

usage: make_files.py FOLDER
Exits with 77 and a line that says what is missing where a library is not installed.
"""
import sys

try:
    import ase
    import ase.io
    import gsd.hoomd
    import numpy as np
except ImportError as missing:
    print(f"{missing} (Debian: python3-numpy, python3-ase, python3-gsd)")
    sys.exit(77)

folder = sys.argv[1] + "/"
x = np.array([[1.25, 2, -3], [4, 5.5, 6], [7, 8, 9.0625]])
v = np.array([[1, 0, 0.5], [0, 1, 0], [0, 0, -1.0]])
radius = np.array([0.25, 0.5, 0.75])
mass = np.array([1, 2, 3.0])

# plain arrays of every width, byte order, type and layout
for name, parts in {"n3": [x], "n4": [x, radius], "n5": [x, radius, mass], "n6": [x, v], "n7": [x, v, radius],
                    "n8": [x, v, radius, mass], "n9": [x, v, 2 * v], "n10": [x, v, 2 * v, radius],
                    "n11": [x, v, 2 * v, radius, mass]}.items():
    np.save(folder + name, np.column_stack(parts))
every = np.column_stack([x, v, radius, mass])
np.save(folder + "big", every.astype(">f8"))
np.save(folder + "narrow", every.astype("<f4"))
np.save(folder + "fortran", np.asfortranarray(every))
np.save(folder + "whole", np.array([[1, 2, 3], [4, 5, -6]], np.int16))
table = np.zeros(3, [("id", "<u4"), ("position", "<f8", (3,)), ("vx", "<f4"), ("radius", ">f8"), ("sensor", "?"), ("type", "i1"), ("kind", "<i8")])
table["id"], table["position"], table["vx"], table["radius"], table["sensor"], table["type"] = [7, 5, 6], x, v[:, 0], radius, [1, 0, 0], [2, 0, 0]
table["kind"] = [63, 9, 0]
np.save(folder + "table", table)
aligned = np.zeros(3, np.dtype([("sensor", "?"), ("x", "<f8"), ("y", "<f4"), ("z", "<f8")], align=True))
aligned["x"], aligned["y"], aligned["z"] = x.T
np.save(folder + "aligned", aligned)
np.save(folder + "no_fields", np.zeros((3, 3), []))
with open(folder + "version2.npy", "wb") as file:
    np.lib.format.write_array(file, every, version=(2, 0))
with open(folder + "bad_type.npy", "wb") as file:
    np.lib.format.write_array(file, every.astype(complex))
with open(folder + "bad_width.npy", "wb") as file:
    np.lib.format.write_array(file, np.ones((2, 12)))
with open(folder + "bad_field.npy", "wb") as file:
    np.lib.format.write_array(file, np.zeros(2, [("positoin", "<f8", (3,))]))
with open(folder + "twice.npy", "wb") as file:
    np.lib.format.write_array(file, np.zeros(2, [("position", "<f8", (3,)), ("y", "<f8")]))
every[1, 6] = np.nan
np.save(folder + "nan", every)

# two frames; the second takes masses and diameters from the first
snapshot = getattr(gsd.hoomd, "Frame", None) or gsd.hoomd.Snapshot
with gsd.hoomd.open(folder + "two.gsd", "wb") as file:
    for step, shift in (7, 0), (9, 0.5):
        s = snapshot()
        s.configuration.step, s.configuration.box = step, [40, 40, 40, 0, 0, 0]
        s.particles.N, s.particles.position, s.particles.velocity = 3, x + shift, v
        s.particles.diameter, s.particles.mass = 2 * radius, mass
        s.particles.orientation = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1]]
        file.append(s)

# a file that ends within the velocities, which its index lists
with open(folder + "two.gsd", "rb") as file:
    whole = file.read()
with open(folder + "cut.gsd", "wb") as file:
    file.write(whole[:whole.index(v.astype("<f4").tobytes()) + 4])

atoms = ase.Atoms("H3", positions=x, masses=mass)
atoms.set_velocities(v)
atoms.arrays["radius"] = radius
ase.io.write(folder + "ase.xyz", atoms, format="extxyz", columns=["symbols", "positions", "radius", "masses", "momenta"])
ase.io.write(folder + "ase.data", ase.Atoms("H3", positions=x - x.min(0) + 1, cell=[20, 20, 20]), format="lammps-data", velocities=False)
