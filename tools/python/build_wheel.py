"""Builds the wheel: the backend of `pip install .` and `pip wheel .` (PEP 517), without packages of its own.
The wheel holds the module with the library, kugel-run and kugel-replay; with the viewer where clang, lld and wasi-libc are. In: a C compiler, Meson, Ninja and the
libraries that building by hand needs. Out: kugel-VERSION-py3-none-PLATFORM.whl; no network is used."""
import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sysconfig
import tarfile
import tempfile
import zipfile

root = pathlib.Path(__file__).resolve().parents[2]
VERSION = re.search(r'VERSION_STRING "(.*?)"', (root / "include/kugel/version.h").read_text())[1]
INFO = f"kugel-{VERSION}.dist-info"
TAG = "py3-none-" + re.sub(r"[-.]", "_", sysconfig.get_platform())
METADATA = f"""Metadata-Version: 2.1
Name: kugel
Version: {VERSION}
Summary: Steps worlds of very many moving spheres, exactly and replayably
License: MIT
Requires-Python: >=3.9
Requires-Dist: numpy
Description-Content-Type: text/markdown

"""
WHEEL = f"Wheel-Version: 1.0\nGenerator: kugel build_wheel\nRoot-Is-Purelib: false\nTag: {TAG}\n"
PROGRAMS = ("samples/kugel-run", "tools/replay/kugel-replay")
SOURCES = ("LICENSE", "README.md", "engine", "include", "meson.build", "meson_options.txt", "pyproject.toml", "samples",
           "subprojects", "tools")
COMPILED_IN = ("cglm", "stb", "xxhash")  # with licenses of their own
FIRST_DATE = (1980, 1, 1, 0, 0, 0)  # the same bytes from the same files


def compile_in(folder):
    """Build module and runner; options of the compiler come from CC and CFLAGS."""
    settings = ("-Dtests=false", "-Dbench=disabled", "--buildtype=release", "--wrap-mode=nodownload")
    # pip's isolation hides the packages of the system, and Meson is one
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run(["meson", "setup", folder, root, *settings], check=True, env=environment)
    subprocess.run(["ninja", "-C", folder], check=True, env=environment)


def contents(folder):
    """(name in the wheel, bytes, mode) of each file."""
    module = pathlib.Path(folder) / "tools/python/kugel"
    for path in sorted([*module.glob("*.py"), *module.glob("page.html"), module / "py.typed", module / "libkugel.so"]):
        yield f"kugel/{path.name}", path.read_bytes(), 0o755 if path.suffix == ".so" else 0o644
    for program in PROGRAMS:
        yield f"kugel-{VERSION}.data/scripts/{pathlib.Path(program).name}", (pathlib.Path(folder) / program).read_bytes(), 0o755
    for name, data in metadata():
        yield f"{INFO}/{name}", data, 0o644


def metadata():
    """(name, bytes) of the files that describe the wheel."""
    yield "LICENSE", (root / "LICENSE").read_bytes()
    yield "METADATA", (METADATA + (root / "README.md").read_text()).encode()
    yield "WHEEL", WHEEL.encode()
    for name in COMPILED_IN:
        yield f"licenses/{name}.txt", (root / f"tools/licenses/{name}.txt").read_bytes()


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    folder = pathlib.Path(metadata_directory) / INFO
    (folder / "licenses").mkdir(parents=True)
    for name, data in metadata():
        (folder / name).write_bytes(data)
    return INFO


def add(wheel, name, data, mode):
    """Write a file. @return its line of RECORD."""
    entry = zipfile.ZipInfo(name, FIRST_DATE)
    entry.external_attr, entry.compress_type = (0o100000 | mode) << 16, zipfile.ZIP_DEFLATED
    wheel.writestr(entry, data)
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name, record = f"kugel-{VERSION}-{TAG}.whl", f"{INFO}/RECORD"
    with tempfile.TemporaryDirectory(prefix="kugel-wheel-") as folder:
        compile_in(folder)
        with zipfile.ZipFile(os.path.join(wheel_directory, name), "w") as wheel:
            lines = [add(wheel, *file) for file in contents(folder)]
            add(wheel, record, ("".join(lines) + f"{record},,\n").encode(), 0o644)
    return name


def build_sdist(sdist_directory, config_settings=None):
    stem = f"kugel-{VERSION}"
    with tempfile.NamedTemporaryFile() as info, tarfile.open(os.path.join(sdist_directory, f"{stem}.tar.gz"), "w:gz") as archive:
        info.write(METADATA.encode())
        info.flush()
        archive.add(info.name, f"{stem}/PKG-INFO")
        for source in SOURCES:
            archive.add(root / source, f"{stem}/{source}")
    return f"{stem}.tar.gz"
