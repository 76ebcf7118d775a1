"""Make a list of calls with the Python module. usage: play_calls.py BUILD < CALLS > RESULTS; tests/npm/test_languages.mjs has the calls.

In: a list of [owner, name, positional, named, result]. An owner is "world", "player" or "kugel"; "start", "stop", "dump", "played",
"shapes" and names of classes are forms that differ between the languages. "$name" stands for a result, {"function": name} for one of
FUNCTIONS, {"number": text} for a number that is not finite.
Out: the names of World and Player; a result for each call: numbers, texts, lists and objects."""
import ctypes
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(sys.argv[1]) / "tools/python"))
try:
    import numpy
except ImportError:
    sys.exit(77)
import kugel

results, runs = {}, []


def decide(pair, key):
    pair.friction *= 0.5
    return (pair.a % 2**32 + pair.b % 2**32 + pair.surface % 2**32) % (key + 3) != 0


def push(world, tick):
    if tick % 2:
        world.apply_impulse(results["ball 50"], (0, 0, 0.1))


def push_once(world, tick):
    runs.append(tick)
    if len(runs) == 12:
        push(world, 1)


def fail(*given):
    raise ZeroDivisionError


FUNCTIONS = {"even": lambda target, handle: handle % 2**32 % 2 == 0, "decide": decide, "always": lambda pair, key: True, "push": push, "push_once": push_once, "fail": fail}


def given(value):
    if isinstance(value, str) and value[:1] == "$":
        return results[value[1:]]
    if isinstance(value, dict):
        if "function" in value:
            return FUNCTIONS[value["function"]]
        return float(value["number"]) if "number" in value else {name: given(x) for name, x in value.items()}
    return [given(x) for x in value] if isinstance(value, list) else value


def members(pairs):
    """Members of structs; those of the struct in a hit are its own in JavaScript."""
    out = {}
    for name, value in pairs:
        if name in ("hit", "contact") and not isinstance(value, (bool, numpy.bool_)):
            out.update(plain(value))
        elif not hasattr(value, "argtypes"):
            out[name] = plain(value)
    return out


def plain(value):
    if isinstance(value, kugel.World):
        return plain(value.hash())
    if isinstance(value, ctypes.Structure):
        return members((name, getattr(value, name)) for name, *_ in value._fields_)
    if isinstance(value, numpy.void):
        return members((name, value[name]) for name in value.dtype.names) if value.dtype.names else None
    if isinstance(value, numpy.ndarray) and not value.dtype.names:
        return [plain(x) for x in (value.astype(int) if value.dtype.kind == "b" else value).ravel().tolist()]
    if isinstance(value, dict):
        return members(value.items())
    if hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, (bytes, list, tuple, numpy.ndarray, ctypes.Array)):
        return [plain(x) for x in value]
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, int) and value >= 2**53:
        return str(value)
    return value if value is None or isinstance(value, (bool, int, float, str)) else type(value).__name__


def surface(handle, found):
    shown = {"vertices": found.vertices, "triangles": found.triangles, "info": found.info, "handle": handle, "index": handle & 0xffffffff}
    return {**plain(found.definition), **plain(shown)}


world = player = None
chunks, out = [], []
for owner, name, positional, named, result in json.load(sys.stdin):
    values, more = given(positional), given(named or {})
    try:
        if owner == "World":
            world = value = kugel.World(**more)
        elif owner == "Player":
            player, value = kugel.Player(*values), None
        elif owner == "start":
            value = world.start_recording(chunks.append, **more)
        elif owner in ("stop", "dump"):
            dumped = []
            value = world.stop_recording() if owner == "stop" else world.dump_recording(dumped.append)
            results[result] = b"".join(chunks if owner == "stop" else dumped)
            if owner == "stop":
                chunks.clear()
        elif owner == "played":
            value = player.world(player.tick)
        elif owner == "shapes":
            value = getattr(kugel.shapes, name)(**{"from_" if member == "from" else member: x for member, x in more.items()})
            value = dict(zip(("vertices", "triangles"), value))
        elif name.endswith("=") or name in ("set_gravity", "set_growth"):  # a property in Python, a method in JavaScript
            value = setattr(world, name.strip("=").removeprefix("set_"), *values)
        else:
            value = getattr({"world": world, "player": player, "kugel": kugel}[owner], name)
            value = value(*values, **more) if callable(value) else value
        if result and owner not in ("stop", "dump"):
            results[result] = value
        if name == "surfaces":
            value = [surface(handle, found) for handle, found in value.items()]
        out.append({"value": None if name in ("save", "make_delta", "apply_delta") else plain(value)})
    except (kugel.WrongType, ZeroDivisionError):  # a type that JavaScript refuses by an error of its package
        out.append({"error": None})
    except kugel.Error as error:
        out.append({"error": {"argument": error.argument, "status": error.status}})
names = {kind.__name__: [name for name in dir(kind) if name[0] != "_"] for kind in (kugel.World, kugel.Player)}
print(json.dumps({"names": names, "results": out}, allow_nan=False))
