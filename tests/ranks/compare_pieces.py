"""Compare frames that ranks wrote in pieces with those of one process, by VTK's readers.

usage: compare_pieces.py ONE.pvd MANY.pvd PIECES
Frames of MANY, from the first one on, must have so many pieces, which together hold the points of ONE: each id once, with
the same bits. Frames of a world that is no longer divided are whole.
Files of surfaces must have the same bytes.
Prints "same: F frames", or the first difference and exits with 1; with 77 and a line where VTK is not installed.
"""
import sys
import xml.etree.ElementTree

try:
    import numpy as np
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
except ImportError as missing:
    print(f"{missing} (Debian: python3-numpy, python3-vtk9)")
    sys.exit(77)


def frames(path):
    """Name, time, number of pieces and columns by id, or the bytes of a file of surfaces."""
    for item in xml.etree.ElementTree.parse(path).iter("DataSet"):
        name = path.rpartition("/")[0] + "/" + item.get("file")
        if name.endswith(".surfaces.vtp"):
            yield name, item.get("timestep"), 0, {"bytes": np.fromfile(name, np.uint8)}
            continue
        pieces = name.endswith(".pvtp")
        reader = vtk.vtkXMLPPolyDataReader() if pieces else vtk.vtkXMLPolyDataReader()
        reader.SetFileName(name)
        reader.Update()
        data = reader.GetOutput()
        if reader.GetErrorCode() or data.GetNumberOfVerts() != data.GetNumberOfPoints():
            sys.exit(f"{name}: error {reader.GetErrorCode()}, {data.GetNumberOfVerts()} cells")
        columns = {k: vtk_to_numpy(data.GetPointData().GetArray(k)) for k in ("id", "radius", "mass", "velocity", "spin", "image")}
        columns["position"] = vtk_to_numpy(data.GetPoints().GetData())
        order = np.argsort(columns["id"])
        count = len(list(xml.etree.ElementTree.parse(name).iter("Piece"))) if pieces else 0
        yield name, item.get("timestep"), count, {k: column[order] for k, column in columns.items()}


def main(one, many, pieces):
    expected, got = list(frames(one)), list(frames(many))
    if len(expected) != len(got):
        sys.exit(f"{len(got)} frames, not {len(expected)}")
    if got[0][2] != int(pieces):
        sys.exit(f"{got[0][0]}: {got[0][2]} pieces, not {pieces}")
    for (_, time, _, a), (name, other_time, count, b) in zip(expected, got):
        if time != other_time:
            sys.exit(f"{name}: at {other_time} s, not {time}")
        if count not in (0, int(pieces)):
            sys.exit(f"{name}: {count} pieces, not {pieces}")
        for k in a:
            if k not in b or a[k].dtype != b[k].dtype or not np.array_equal(a[k], b[k]):
                sys.exit(f"{name}: other {k}")
    print(f"same: {len(got)} frames")


main(*sys.argv[1:])
