"""What is measured step by step: checks that no step and no impact is missed."""
from __future__ import annotations

from typing import Any

import numpy

from . import api
from .tables import Table
from .values import Error, Rows, invalid
from .world import World


class Moment:
    """The bodies of a world at one moment, in id order."""

    def __init__(self, world: World) -> None:
        self._bodies, self.radius, self.mass, self.velocity, self.position = world.read_arrays(
            "bodies", "radius", "mass", "velocity", "position").values()

    def __len__(self) -> int:
        return len(self._bodies)

    def rows(self, *handles: Any) -> Rows:
        """Rows of bodies, for each array of their handles, which have the ids in the low 32 bits."""
        low, wanted = numpy.uint64(0xffffffff), numpy.stack(handles)
        if not wanted.size:
            return numpy.zeros(wanted.shape, int)
        rows: Rows = numpy.minimum(numpy.searchsorted(self._bodies & low, wanted & low), len(self) - 1)
        if not len(self) or not numpy.array_equal(self._bodies[rows], wanted):
            raise invalid("world", "has lost a body of an impact since its step")
        return rows

    def relative_velocity(self, axes: Rows) -> Rows:
        """Velocities, m/s, without the motion of the centre of mass of the dynamic bodies along the given axes."""
        relative: Rows = self.velocity - numpy.where(axes, center(self.mass, self.velocity), 0)
        return relative


def center(mass: Rows, rows: Rows) -> Rows:
    """The mean of rows of dynamic bodies, n x 3, by mass; 0 without such bodies. Other bodies have a mass of 0."""
    mean: Rows = mass @ rows / (mass.sum() or 1.0)
    return mean


class EachStep:
    """Measures a world: add() is called once after each step, before calls that remove bodies. The world reports all impacts,
    which is its initial setting: report_impacts_above(0)."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._start, self._tick = world.time, world.tick
        self._drifts = (world.get_def().bounds.faces != "wall").reshape(3, 2).all(1)  # axes along which momentum is kept
        self.time = 0.0
        """s, of all steps that were added."""

    def _last_step(self) -> tuple[Moment, Table, float]:
        """The bodies, all impacts of the one step since the last add(), and its length, s."""
        tick, impacts = self._world.tick, self._world.impact_events(copy=False)
        if tick != self._tick + 1:
            raise Error(api.KUGEL_ERROR_STATE, "world", f"is at tick {tick}, and counted up to tick {self._tick}: call add() once"
                        " after each step, or begin anew")
        if len(impacts) != (count := self._world.stats().impacts):
            raise Error(api.KUGEL_ERROR_STATE, "world", f"reported {len(impacts)} of {count} impacts: call"
                        " report_impacts_above(0) before the step, and begin anew")
        return Moment(self._world), impacts, self._world.time - self._start - self.time

    def _count_step(self) -> None:
        """The last step was added."""
        self.time, self._tick = self._world.time - self._start, self._world.tick

    def _elapsed(self) -> float:
        if not self.time > 0:
            raise invalid("time", "no step was added")
        return self.time
