"""Runs the code cells of a notebook in their order, without Jupyter, and checks that they draw and print what is stored.
usage: check_notebook.py NAME SOURCE BUILD [--write]; exit 77 with the reason when it cannot run. --write: store texts and
plots in the notebook. KUGEL_PLOTS names a folder for the plots, as PNG."""
import base64
import contextlib
import io
import json
import os
import pathlib
import subprocess
import sys

FIGURES = {"tutorial": ["bounce", "pile", "stress", "fluid"], "studies": ["haff", "silo", "jamming"]}
name, writes = sys.argv[1], sys.argv[4:] == ["--write"]
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


def picture(label):
    png = io.BytesIO()
    plt.figure(label).savefig(png, format="png", dpi=64, metadata={"Software": None})
    return {"output_type": "display_data", "metadata": {}, "data": {"image/png": base64.b64encode(png.getvalue()).decode()}}


def run(text, number, scope):
    """Run a cell. @return its outputs, as a notebook stores them."""
    printed, before = io.StringIO(), plt.get_figlabels()
    with contextlib.redirect_stdout(printed):
        exec(compile(text, f"cell {number} of {name}.ipynb", "exec"), scope)
    lines = printed.getvalue().splitlines(keepends=True)
    stream = [{"output_type": "stream", "name": "stdout", "text": lines}] if lines else []
    return stream + [picture(label) for label in plt.get_figlabels() if label not in before]


def without_pictures(outputs):
    """Bytes of plots are those of a version of Matplotlib."""
    return [output if output["output_type"] == "stream" else output["output_type"] for output in outputs]


file = source / f"tools/python/{name}.ipynb"
notebook = json.loads(file.read_text())
assert notebook["nbformat"] == 4
scope, count = {"__name__": "notebook"}, 0
for number, cell in enumerate(notebook["cells"]):
    text = "".join(cell["source"])
    if cell["cell_type"] == "code":
        count += 1
        outputs = run(text, number, scope)
        if writes:
            cell["outputs"], cell["execution_count"] = outputs, count
        assert without_pictures(cell["outputs"]) == without_pictures(outputs), \
            f"cell {number} has another output, check_notebook.py {name} SOURCE BUILD --write stores it: {without_pictures(outputs)}"
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
if writes:
    file.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")
