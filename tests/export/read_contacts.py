"""Read an export of contacts as lines with VTK, and compare it with that in csv.

usage: read_contacts.py COLLECTION CSV
Prints "same: F frames, N contacts", or the first difference and exits with 1; with 77 and a line that says what is missing
where VTK is not installed."""
import csv
import sys
import xml.etree.ElementTree

try:
    import numpy as np
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
except ImportError as missing:
    print(f"{missing} (Debian: python3-numpy, python3-vtk9)")
    sys.exit(77)

collection, table = sys.argv[1:]
rows = list(csv.DictReader(open(table)))
targets = ["body", "face", "surface"]
frames = count = 0
for item in xml.etree.ElementTree.parse(collection).iter("DataSet"):
    reader = vtk.vtkXMLPolyDataReader()
    reader.SetFileName(collection.rpartition("/")[0] + "/" + item.get("file"))
    reader.Update()
    data = reader.GetOutput()
    wanted = [row for row in rows if row["tick"] == str(int(item.get("file")[-10:-4]))]
    n = data.GetNumberOfLines()
    assert reader.GetErrorCode() == 0 and n == len(wanted) and data.GetNumberOfPoints() == 2 * n, f"{n} lines, not {len(wanted)}"
    cells = {name: vtk_to_numpy(data.GetCellData().GetArray(name)) for name in ("force", "friction", "gap", "a", "target", "index")} if n else {}
    for k, row in enumerate(wanted):
        line = data.GetCell(k)
        start, end = (np.array(data.GetPoint(line.GetPointId(side))) for side in (0, 1))
        normal, point = (np.array([float(row[c + axis]) for axis in "xyz"]) for c in ("n", ""))
        assert row["target"] == targets[cells["target"][k]] and [row["a"], row["index"]] == [str(cells["a"][k]), str(cells["index"][k])]
        assert abs(cells["force"][k] - float(row["force"])) <= 1e-8 * abs(cells["force"][k]), row
        force = cells["friction"][k] - cells["force"][k] * normal
        assert np.allclose(force, [float(row["f" + axis]) for axis in "xyz"], rtol=1e-6, atol=1e-8), row
        along = (end - start) / np.linalg.norm(end - start)
        assert np.allclose(along, normal, atol=1e-7) and abs(np.cross(point - start, along)).max() < 1e-7, row
        count += 1
    frames += 1
assert count == len(rows) > 0
print(f"same: {frames} frames, {count} contacts")
