"""Scenes of kugel-run: built-in ones and files."""
from __future__ import annotations

import difflib
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sysconfig
import tempfile
from typing import Any, Mapping, Union

from .player import Player
from .values import WrongType, invalid, number
from .world import World


def _program() -> str:
    """kugel-run: KUGEL_RUN of the environment, that of this installation or build, or the one on the path."""
    places = [pathlib.Path(sysconfig.get_path("scripts")) / "kugel-run"]
    for folder in pathlib.Path(__file__).resolve().parents:
        places += [folder / "bin/kugel-run", folder / "samples/kugel-run"]
    near = [str(place) for place in places if place.is_file()]
    found = os.environ.get("KUGEL_RUN") or (near[0] if near else shutil.which("kugel-run"))
    if not found:
        raise FileNotFoundError("kugel-run is not installed; KUGEL_RUN of the environment may name it")
    return found


def _output(*arguments: str, text: str = "") -> str:
    done = subprocess.run([_program(), *arguments], input=text, capture_output=True, text=True)
    if done.returncode:
        raise invalid("", done.stderr.strip().removeprefix("kugel-run: "))
    return done.stdout


def scenes() -> dict[str, str]:
    """The built-in scenes: name and what it shows."""
    lines = (line.split(None, 1) for line in _output("--list").splitlines() if line.strip())
    return {name: text.strip() for name, text in lines}


def _number(value: Any) -> Any:
    """Arrays and numbers of numpy in a scene."""
    if not hasattr(value, "tolist"):
        raise TypeError(f"cannot have {value!r}")
    return value.tolist()


def _text(scene: Mapping[str, Any]) -> str:
    """The JSON of a scene."""
    try:
        return json.dumps(dict(scene), default=_number, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise WrongType("scene", str(error)) from None


def _option(name: str, value: Any, known: list[str]) -> list[str]:
    """The words of an option. kugel-run would take the beginning of a known one, too."""
    if name not in known:
        near = difflib.get_close_matches(name, known, 1)
        raise WrongType(name, f"kugel-run has no option {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
    value = value.item() if hasattr(value, "item") else value
    option = "--" + name.replace("_", "-")
    return [] if value is False else [option] if value is True else [option, str(value)]


def run(scene: Union[str, os.PathLike[str], Mapping[str, Any]], **options: Union[int, float]) -> Player:
    """Run a scene: the name of a built-in one (scenes() has them), a file, or a dict with the keys of a scene file,
    whose values may be numpy's.
    `options` are those of kugel-run: ticks=100, dt=0.01 (s), substeps=4, seed=1, threads=2, check=True; False leaves
    one out. Names are not abbreviated.
    @return a Player of the run: run("pile").world() is the last state. A scene that is refused raises kugel.Error."""
    known = [name.replace("-", "_") for name in re.findall(r"--([a-z][a-z-]*)", _output("--help") + "--help")]
    flags = [word for name, value in options.items() for word in _option(name, value, known)]
    if not isinstance(scene, (str, os.PathLike, Mapping)):
        raise WrongType("scene", f"takes a name, a file or a dict, got {scene!r}")
    text = _text(scene) if isinstance(scene, Mapping) else ""
    with tempfile.TemporaryDirectory(prefix="kugel-") as folder:
        record = pathlib.Path(folder) / "run.kugel"
        name = "-" if isinstance(scene, Mapping) else os.fspath(scene)
        _output(*flags, "--quiet", "--record", str(record), "--", name, text=text)  # a name is no option
        if not record.is_file():  # as with list=True
            raise invalid(" ".join(flags), "kugel-run runs no scene with this option")
        return Player(record.read_bytes())


def reduced_gas(count: int, packing_fraction: float, seed: int = 1) -> World:
    """A gas of elastic hard spheres in reduced units: diameter, mass and k_B T of a body are 1, so the unit of time is that of
    a diameter at the speed sqrt(k_B T / m). It fills a periodic cube; the thresholds are 0, so every contact is an impact.
    k_B T is exactly 1 (observables.temperature), and the centre of mass is at rest."""
    fraction = number("packing_fraction", packing_fraction)
    if not fraction > 0:
        raise invalid("packing_fraction", f"takes a number > 0, got {fraction:g}")
    if not number("count", count) >= 1:
        raise invalid("count", f"takes a whole number > 0, got {count!r}")
    length = (count * math.pi / 6 / fraction)**(1 / 3)
    scene = {"format": "kugel-scene", "version": 1, "preset": "reduced_gas", "ticks": 0,
             "bounds": {"min": [0, 0, 0], "max": [length] * 3, "faces": ["periodic"] * 6},
             "generators": [{"gas": {"count": count, "speed_sigma": 1, "seed": seed}}]}
    world = run(scene).world()
    world.set_temperature(1.0)
    return world
