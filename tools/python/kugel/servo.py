"""A surface that a force drives: a piston, or a lid."""
from __future__ import annotations

import numpy

from . import api
from .api import SurfaceHandle
from .values import Error, Vector, doubles, handle_of, invalid, library, number
from .world import World


class Servo:
    """Drives a surface along a direction (a unit vector) by a force (N), against which bodies push: after each step call
    drive(dt) with the length of the step, s. It sets the speed v of the surface by m dv/dt = force - drag v - push, where push
    is the mean over the step, mass in kg, drag in N s/m, and abs(v) at most speed (m/s). At least one of mass and drag is
    > 0. Spin and motion across the direction stay. The speed is that of the surface, so a saved world goes on with the same bits. The pressure of bodies on a piston is
    the force over its area."""

    def __init__(self, world: World, surface: SurfaceHandle, direction: Vector, force: float, *, mass: float = 0.0, drag: float = 0.0,
                 speed: float = 1e15) -> None:
        self._world, self._surface, self._axis = world, surface, numpy.array(doubles("direction", direction))
        if not abs(numpy.linalg.norm(self._axis) - 1) < 1e-6:
            raise invalid("direction", "takes a unit vector")
        self.force = number("force", force)
        """N, along the direction."""
        self._mass, self._drag, self._limit = (number(name, value) for name, value in (("mass", mass), ("drag", drag), ("speed", speed)))
        if not (self._mass >= 0 and self._drag >= 0 and self._limit > 0 and self._mass + self._drag > 0):
            raise invalid("mass", "takes mass >= 0, drag >= 0, one of them > 0, and speed > 0")
        self._definition()
        self.push = 0.0
        """N, with which bodies pushed against the direction in the last step."""
        world.sum_impulses()

    def _definition(self) -> api.kugel_surface_def:
        definition = api.kugel_surface_def()
        if status := library.kugel_surface_get(self._world._world, handle_of("surface", self._surface), definition, None):
            raise Error(status, "surface", "does not exist")
        return definition

    @property
    def position(self) -> float:
        """m, of the surface's frame along the direction."""
        return float(self._definition().position @ self._axis)

    def drive(self, dt: float) -> None:
        """Set the speed of the surface after a step of dt seconds."""
        seconds, definition, sums = number("dt", dt), self._definition(), self._world.impulse_sums()
        if not seconds > 0:
            raise invalid("dt", f"takes a number > 0, got {seconds:g}")
        index = next(k for k in range(library.kugel_world_surface_end(self._world._world)) if self._world.surface(k) == self._surface)
        mine = (sums["target"] == "surface") & (sums["index"] == index)
        self.push = -float((sums["impulse"][mine] @ self._axis).sum()) / seconds
        momentum = self._mass * float(definition.velocity @ self._axis) + (self.force - self.push) * seconds
        v = momentum / (self._mass + self._drag * seconds)
        across = definition.velocity - float(definition.velocity @ self._axis) * self._axis
        along = max(-self._limit, min(v, self._limit)) * self._axis
        self._world.set_surface_motion(self._surface, across + along, definition.spin)
