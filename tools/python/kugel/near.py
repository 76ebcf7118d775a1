"""Pairs of near bodies by cells, with numpy only. Lengths in m.

Bodies are sorted into columns along x that are about half as wide as the reach. A body meets the bodies of 5 x 5 columns, of
each within a range of x. Images across periodic faces are further bodies beside the box. n work, if the reach is that of a few bodies."""
from __future__ import annotations

from typing import Iterator

import numpy

from .values import Rows

BLOCK_PAIRS = 1 << 17  # candidates of a block of rows: bounds the memory, and fits caches
FINE = 2  # columns within the reach, along y and z
MARGIN = 1e-9  # of the reach: far above the rounding of places
Pairs = tuple[Rows, Rows, Rows]


def nearest(difference: Rows, lengths: Rows) -> Rows:
    """Differences of positions between nearest periodic images, in place; lengths are inf along other axes."""
    for axis in numpy.flatnonzero(numpy.isfinite(lengths)):
        part = difference[..., axis]
        part -= lengths[axis] * numpy.round(part / lengths[axis])
    return difference


def near_pairs(position: Rows, lengths: Rows, reach: float, rows: int, between: bool = False) -> Iterator[Pairs]:
    """Blocks (i, j, distance) of the pairs whose nearest images are at most `reach` apart, each once:
    all pairs if `rows` is their number, else those of i < rows and j > i, or rows <= j if `between`."""
    periodic = numpy.isfinite(lengths)
    if not len(position) or reach < 0:
        return
    extent = numpy.where(periodic, lengths, numpy.ptp(position, 0))
    if (2.001 * reach > lengths[periodic]).any() or (3 * reach > extent).all():  # two images may be near; cells save nothing
        yield from _all_pairs(position, lengths, reach, rows, between)
        return
    place = numpy.where(periodic, position % numpy.where(periodic, lengths, 1.0), position)
    place[place == lengths] = 0  # what % rounds up
    width = reach * (1 + MARGIN) + 1e-15 * float(lengths[periodic].max(initial=0)) + 1e-300
    body, image = numpy.arange(len(place)), place
    for axis in numpy.flatnonzero(periodic):
        x = image[:, axis]
        low, high = numpy.flatnonzero(x <= width), numpy.flatnonzero(x >= lengths[axis] - width)
        shift = numpy.zeros(3)
        shift[axis] = lengths[axis]
        body = numpy.concatenate([body, body[low], body[high]])
        image = numpy.concatenate([image, image[low] + shift, image[high] - shift])
    yield from _column_pairs(place, body, image, reach, width, rows, between)


def _column_pairs(place: Rows, body: Rows, image: Rows, reach: float, width: float, rows: int, between: bool) -> Iterator[Pairs]:
    """The pairs of place[i], i < rows, and images of bodies. Out: as near_pairs."""
    low = image.min(0)
    most = max(1, int(len(image)**0.5))  # more columns than bodies are of no use
    side = numpy.maximum(width / FINE, (image.max(0) - low)[1:] / most)  # of a column, along y and z
    cell = ((image[:, 1:] - low[1:]) / side).astype(numpy.int64) + FINE  # all columns have neighbours
    stride = int(cell[:, 1].max()) + FINE + 1
    column = cell[:, 0] * stride + cell[:, 1]
    order = numpy.lexsort((image[:, 0], column))
    own = numpy.flatnonzero(body[order] + (order >= len(place)) * len(place) < rows).astype(numpy.int32)
    body, image, cell, column = body[order].astype(numpy.int32), image[order], cell[order], column[order]
    along = image[:, 0] - low[0] + width
    span = 2 * float(along.max() + width)  # ranges of a column stay apart from those of the next
    key, axes = column * span + along, (image[:, 0].copy(), image[:, 1].copy(), image[:, 2].copy())
    ahead = rows == len(place) and not between  # of each pair the body with the lower x finds the other
    slack = MARGIN * width + 4e-16 * float(key.max())
    within = (image[own, 1:] - low[1:]) - (cell[own] - FINE) * side  # of the own column, 0 ... side
    for y in range(-FINE, FINE + 1):
        for z in range(-FINE, FINE + 1):
            apart = [_apart(within[:, k], side[k], step) for k, step in enumerate((y, z))]
            square = width**2 - apart[0]**2 - apart[1]**2
            some = numpy.flatnonzero(square >= 0)
            middle, half = key[own[some]] + (y * stride + z) * span, numpy.sqrt(square[some]) + slack
            first = numpy.searchsorted(key, middle - (slack if ahead else half))
            stop = numpy.searchsorted(key, middle + half, "right")
            yield from _ranges(first, stop, own[some], body, axes, reach, rows if between else 0, ahead)


def _apart(within: Rows, side: float, step: int) -> Rows:
    """The least distance along an axis to the column `step` further, m."""
    if step == 0:
        return numpy.zeros(len(within))
    distance = (step * side - within) if step > 0 else (within - (step + 1) * side)
    return numpy.maximum(distance - MARGIN * side, 0)


def _ranges(first: Rows, stop: Rows, own: Rows, body: Rows, axes: tuple[Rows, Rows, Rows], reach: float,
            least: int, ahead: bool) -> Iterator[Pairs]:
    """The pairs of own[k] and first[k] ... stop[k] - 1 whose second body has the higher x if `ahead`,
    else is at least `least`, or the higher one if that is 0."""
    ends = numpy.cumsum(stop - first)
    begin = 0
    while begin < len(own):
        done = int(ends[begin - 1]) if begin else 0
        end = max(begin + 1, int(numpy.searchsorted(ends, done + BLOCK_PAIRS, "right")))
        count = (stop - first)[begin:end]
        i = numpy.repeat(own[begin:end], count)
        j = numpy.repeat((first[begin:end] - (ends[begin:end] - count - done)).astype(numpy.int32), count)
        j += numpy.arange(len(i), dtype=numpy.int32)
        if not ahead:
            once = body[j] >= least if least else body[i] < body[j]
            i, j = i[once], j[once]
        further = axes[0][j] - axes[0][i]
        square = further**2
        for axis in axes[1:]:
            part = axis[i]
            part -= axis[j]
            part *= part
            square += part
        distance = numpy.sqrt(square)
        near = distance <= reach
        if ahead:
            near &= further >= 0
            level = numpy.flatnonzero(further == 0)
            near[level] &= body[i[level]] < body[j[level]]
        yield body[i[near]], body[j[near]], distance[near]
        begin = end


def _all_pairs(position: Rows, lengths: Rows, reach: float, rows: int, between: bool) -> Iterator[Pairs]:
    """As near_pairs, by a test of all pairs: n^2 work."""
    size = max(1, BLOCK_PAIRS // len(position))
    for first in range(0, min(rows, len(position)), size):
        some = position[first:min(first + size, rows)]
        square = numpy.zeros((len(some), len(position) - first))
        for axis in range(3):
            part = some[:, axis, None] - position[None, first:, axis]
            if numpy.isfinite(lengths[axis]):
                part -= lengths[axis] * numpy.rint(part * (1 / lengths[axis]))
            part *= part
            square += part
        distance = numpy.sqrt(square)
        i, j = numpy.nonzero(distance <= reach)
        once = j + first >= rows if between else j > i
        i, j = i[once], j[once]
        yield i + first, j + first, distance[i, j]
