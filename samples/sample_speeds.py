# %% [markdown]
# # How the speeds of a gas become Maxwell's
# 2197 hard spheres start with one speed, in all directions. Collisions make the speeds those of Maxwell and Boltzmann:
# each component of the velocity becomes Gaussian, so its kurtosis <v^4> / <v^2>^2 goes from 1.8 (a sphere's surface
# seen along an axis) to 3. Run it cell by cell, or whole: PYTHONPATH=build/tools/python python3 samples/sample_speeds.py

# %% A box with hard walls
import numpy as np

import kugel

random = np.random.default_rng(1)
side, n = 20.0, 13
world = kugel.World(bounce_threshold=0, slop=0, bounds=dict(
    min=(0, 0, 0), max=(side,) * 3, faces="wall", restitution=1, friction=0))

# %% Spheres on a lattice, all at 5 m/s
lattice = (np.stack(np.meshgrid(*[np.arange(n)] * 3, indexing="ij"), -1).reshape(-1, 3) + 0.5) * side / n
direction = random.normal(size=(len(lattice), 3))
velocity = 5 * direction / np.linalg.norm(direction, axis=1, keepdims=True)
world.create_bodies(lattice, velocity=velocity, radius=0.45, restitution=1, friction=0)
energy = world.energy().kinetic

# %% Run, and look at the velocities: read() gives arrays of all bodies
impacts = 0
for tick in range(181):
    if tick % 30 == 0:
        v = world.read().velocity
        kurtosis = (v**4).mean() / (v**2).mean() ** 2
        print(f"{world.time:4.1f} s  {2 * impacts / len(world):6.1f} impacts a sphere  kurtosis {kurtosis:.2f}")
    world.step(1 / 60)
    impacts += len(world.impact_events())

# %% The same histogram as a curve
speed = np.linalg.norm(world.read().velocity, axis=1)
count, edges = np.histogram(speed, bins=12, range=(0, 12))
s2 = 25 / 3  # m^2/s^2, of each component
middle = (edges[1:] + edges[:-1]) / 2
maxwell = len(world) * np.sqrt(2 / np.pi) * middle**2 / s2**1.5 * np.exp(-(middle**2) / (2 * s2))
for low, found, expected in zip(edges, count, maxwell):
    print(f"{low:4.0f} m/s {found:5d} {'#' * round(found / 10):50s} {expected:6.1f}")

# %% What must hold: energy to rounding; a kurtosis of 3 within five of its standard deviations, sqrt(24 / 3N)
assert abs(world.energy().kinetic / energy - 1) < 1e-12
assert abs(kurtosis - 3) < 5 * np.sqrt(24 / (3 * len(world))), kurtosis
print("energy kept, velocities Gaussian; hash", hex(world.hash()))
