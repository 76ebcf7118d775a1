"""Read surfaces of a .vtp file with VTK: the turned box of 2 x 4 x 6 m around (11, 20, 30) and the disc of
test_formats.c. usage: read_surfaces.py FILE. Exits with 1 and a difference, or with 77 where VTK is missing."""
import sys

try:
    import numpy
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
except ImportError as missing:
    print(f"{missing} (Debian: python3-numpy, python3-vtk9)")
    sys.exit(77)

reader = vtk.vtkXMLPolyDataReader()
reader.SetFileName(sys.argv[1])
reader.Update()
data = reader.GetOutput()
assert reader.GetErrorCode() == 0
assert (data.GetNumberOfPoints(), data.GetNumberOfPolys()) == (8 + 7, 12 + 6), data
assert list(vtk_to_numpy(data.GetCellData().GetArray("surface"))) == [0] * 12 + [1] * 6
assert data.GetFieldData().GetArray("TimeValue").GetValue(0) == 1
points = vtk_to_numpy(data.GetPoints().GetData())
corners = [[data.GetCell(i).GetPointId(k) for k in range(3)] for i in range(18)]
assert all((max(c) < 8) if i < 12 else (min(c) >= 8) for i, c in enumerate(corners)), corners
# the box is turned about z by the angle with cosine 0.28 and sine 0.96
half = (0.28 * 1 + 0.96 * 2, 0.96 * 1 + 0.28 * 2, 3)
for axis, middle in enumerate((11, 20, 30)):
    low, high = points[:8, axis].min(), points[:8, axis].max()
    assert abs(low - middle + half[axis]) < 1e-12 and abs(high - middle - half[axis]) < 1e-12, (axis, low, high)
# faces look outwards: the volume is positive
volume = sum((points[a] - points[0]) @ numpy.cross(points[b] - points[0], points[c] - points[0])
             for a, b, c in corners[:12]) / 6
assert abs(volume - 48) < 1e-10, volume
