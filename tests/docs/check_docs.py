"""Every code block of a page runs.
usage: check_docs.py PAGE.md SOURCE BUILD

c       A block with a main is a program, in C and in C++17. The others of a page are one program, in their order:
        blocks that begin with #include, static, struct or enum stand outside its main, the rest in it. Warnings are errors.
cpp     A program, in C++17 and C++20. Warnings are errors.
sh      Line by line, in a folder where build/ is the build, whose programs are on the path, and tools/ that of the source; a
        line that ends with "# exit code N" must end with it.
json    Written to the file whose name, in backquotes, stands last before the block.
python  With the module of the build; the blocks of a page are one program.
        A line with mpirun is skipped without MPI, as is a C program that includes kugel/mpi.h.
cmake, slurm  Not run here; tests/embed/check-fetch builds the former.
text    Not run: what the last sh line above it prints. Each line must be among its lines, in order; "..." skips some.

What this machine cannot run (a sanitized library, a build without the viewer or numpy) is skipped with a line that says
so; any other block, and a block of another kind, fails."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

page, source, build = map(pathlib.Path, sys.argv[1:])
library = build / "tools/python/kugel/libkugel.so"
scratch = tempfile.TemporaryDirectory(prefix="kugel-docs-")
folder = pathlib.Path(scratch.name)
(folder / "build").symlink_to(build)
(folder / "tools").symlink_to(source / "tools")
(folder / "out").mkdir()
os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1")
has_mpi = (build / "samples/kugel-run-mpi").exists() and shutil.which("mpirun") and shutil.which("mpicc")
if "\nmpirun" in page.read_text(): # a block runs it; MPI's own libraries leak
    os.environ["ASAN_OPTIONS"] = f"detect_leaks=0:{os.environ.get('ASAN_OPTIONS', '')}"
os.environ["PATH"] = f"{build}/samples:{build}/tools/replay:{os.environ['PATH']}"
HEAD = "".join(f"#include <{name}.h>\n" for name in ("kugel/kugel", "assert", "math", "stdio", "stdlib", "string"))


def blocks():
    """(kind, line number of its first line, code, the text before it)"""
    text = page.read_text()
    end = 0
    for found in re.finditer(r"^```(\w*)\n(.*?)^```$", text, flags=re.M | re.S):
        yield found[1], text.count("\n", 0, found.start()) + 2, found[2], text[end:found.start()]
        end = found.end()


def fail(line, *words):
    sys.exit(f"{page.name}:{line}: " + " ".join(str(word) for word in words))


def run(line, command, **more):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=200, **more)
    return done.returncode, done.stdout, done.stderr


def run_c(line, code, name):
    (folder / f"{name}.c").write_text(code)
    status, out, err = run(line, ["gcc", "-std=gnu17", "-Wall", "-Wextra", "-Wpedantic", "-Wno-unused-parameter", "-Werror",
                                  f"-I{source}/include", f"{name}.c", "-o", name, library, f"-Wl,-rpath,{library.parent}", "-lm"])
    if status:
        fail(line, "does not compile:\n" + err)
    status, out, err = run(line, [folder / name])
    if status:
        fail(line, "exit code", status, out, err)
    return out


def run_mpi(line, code, name):
    """A program of libkugel-mpi, on three ranks."""
    if not has_mpi:
        print(f"skipped: line {line}: built without MPI")
        return
    (folder / f"{name}.c").write_text(code)
    status, out, err = run(line, ["mpicc", "-std=gnu17", "-Wall", "-Werror", f"-I{source}/include", f"-I{source}/tools/mpi", f"{name}.c",
                                  "-o", name, build / "tools/mpi/libkugel-mpi.a", library, f"-Wl,-rpath,{library.parent}", "-lm"])
    if status:
        fail(line, "does not compile:\n" + err)
    status, out, err = run(line, ["mpirun", "-n", "3", folder / name])
    if status:
        fail(line, "exit code", status, out, err)


def run_cpp(line, code, name, standard, wanted=None):
    """A program in C++ prints the same with each compiler, and what is wanted: what run_c printed, if it is C, too."""
    (folder / f"{name}.cpp").write_text(code)
    for compiler in filter(shutil.which, ("g++", "clang++")):
        status, out, err = run(line, [compiler, f"-std={standard}", "-pedantic", "-Wall", "-Werror", f"-I{source}/include",
                                      f"{name}.cpp", "-o", name, library, f"-Wl,-rpath,{library.parent}", "-lm"])
        if status:
            fail(line, f"does not compile with {compiler} -std={standard}:\n" + err)
        status, out, err = run(line, [folder / name])
        wanted = out if wanted is None else wanted
        if (status, out) != (0, wanted):
            fail(line, f"{compiler} -std={standard}: exit code", status, out, err)
    return wanted


def run_shell(line, command):
    """What it printed; None where this build cannot run it."""
    if "mpirun" in command and not has_mpi:
        print(f"skipped: line {line}: built without MPI")
        return None
    wanted = int((re.search(r"# exit code (\d+)$", command) or [0, 0])[1])
    status, out, err = run(line, ["sh", "-uc", command])
    if "without the viewer" in err:
        print(f"skipped: line {line}: built without the viewer")
        return None
    if "there is no ffmpeg" in err:
        print(f"skipped: line {line}: there is no ffmpeg")
        return None
    if status != wanted:
        fail(line, "exit code", status, "instead of", wanted, "\n" + out, err)
    return out


def compare(line, printed, shown):
    rest = iter(printed.splitlines())
    for k, wanted in enumerate(shown.splitlines()):
        if wanted != "..." and wanted not in rest:
            fail(line + k, f"not printed there: {wanted}\n" + printed)


names = subprocess.run(["nm", "-D", library], capture_output=True, text=True).stdout
sanitized = "__asan" in names or "__tsan" in names or "__ubsan" in names
outside, inside, script = "", "", ""
begins, printed, ran = {}, "", 0
for kind, line, code, before in blocks():
    place = f'#line {line} "{page.name}"\n'
    if kind == "c" and "kugel/mpi.h" in code:
        if not sanitized:
            run_mpi(line, place + code, f"program-{line}")
    elif kind == "c" and "int main" in code:
        if not sanitized:
            wanted = run_c(line, place + code, f"program-{line}")
            run_cpp(line, place + code, f"program-{line}", "c++17", wanted)
    elif kind == "cpp":
        if not sanitized:
            wanted = run_cpp(line, place + code, f"program-{line}", "c++17")
            run_cpp(line, place + code, f"program-{line}", "c++20", wanted)
    elif kind == "c":
        begins.setdefault("c", line)
        if code.startswith(("#include", "static", "struct", "enum")):
            outside += place + code
        else:
            inside += place + code
    elif kind == "sh":
        for k, command in enumerate(code.splitlines()):
            printed = run_shell(line + k, command)
    elif kind == "text":
        if printed is not None:
            compare(line, printed, code)
    elif kind == "json":
        name = re.findall(r"`([\w-]+\.json)`", before)
        if not name:
            fail(line, "no file is named for this block")
        (folder / name[-1]).write_text(code)
    elif kind in ("cmake", "slurm"):
        pass
    elif kind == "python":
        begins.setdefault("python", line)
        script += code
    else:
        fail(line, f"a block of kind '{kind}' is not run")
    ran += 1
if (inside or outside) and not sanitized:
    run_c(begins["c"], f"{HEAD}{outside}int main(void)\n{{\n{inside}return 0;\n}}\n", "page")
if sanitized:
    print("skipped: C and Python: a sanitized library cannot be linked plainly")
elif script:
    status, out, err = run(begins["python"], [sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": str(build / "tools/python")})
    if "No module named 'numpy'" in err:
        print("skipped: Python: no numpy (Debian: python3-numpy)")
    elif status:
        fail(begins["python"], "Python, exit code", status, "\n" + out, err)
if not ran:
    fail(1, "no code on this page")
print(f"ok: {ran} blocks of {page.name}")
