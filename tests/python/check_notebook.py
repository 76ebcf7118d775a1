"""Runs the code cells of a notebook in their order, without Jupyter, and checks that they draw.
usage: check_notebook.py NAME SOURCE BUILD; exit 77 with the reason when it cannot run. KUGEL_PLOTS names a folder for the
plots, as PNG."""
import json
import os
import pathlib
import subprocess
import sys

FIGURES = {"tutorial": ["bounce", "pile", "stress", "fluid"], "studies": ["haff", "silo"]}
name = sys.argv[1]
source, build = (pathlib.Path(folder).resolve() for folder in sys.argv[2:4])
packages = build / "tools/python"
try:
    import matplotlib
    import numpy
except ImportError as error:
    print(f"skipped: {error} (Debian: python3-numpy, python3-matplotlib)")
    sys.exit(77)
names = subprocess.run(["nm", "-D", packages / "kugel/libkugel.so"], capture_output=True, text=True).stdout
if "__asan" in names or "__tsan" in names or "__ubsan" in names:
    print("skipped: a sanitized library cannot be loaded by Python")
    sys.exit(77)
matplotlib.use("Agg")
import matplotlib.pyplot as plt

sys.path.insert(0, str(packages))
plt.show = lambda: None  # Agg has no window
notebook = json.loads((source / f"tools/python/{name}.ipynb").read_text())
assert notebook["nbformat"] == 4
scope = {"__name__": "notebook"}
for number, cell in enumerate(notebook["cells"]):
    text = "".join(cell["source"])
    if cell["cell_type"] == "code":
        assert not cell["outputs"] and cell["execution_count"] is None, f"cell {number} is stored with its output"
        exec(compile(text, f"cell {number} of {name}.ipynb", "exec"), scope)
    print(f"ok: cell {number}:", text.split("\n")[0])

figures = plt.get_figlabels()
assert figures == FIGURES[name], figures
for label in figures:
    for axes in plt.figure(label).axes:
        drawn = [line.get_ydata() for line in axes.lines] + [[bar.get_height() for bar in axes.patches]]
        assert max(map(len, drawn)) > 5, f"{label}: {axes.get_xlabel()}: nothing is drawn"
        assert all(numpy.isfinite(numpy.asarray(y, float)).all() for y in drawn), f"{label}: {axes.get_xlabel()}"
    if folder := os.environ.get("KUGEL_PLOTS"):
        plt.savefig(pathlib.Path(folder) / f"{label}.png")
