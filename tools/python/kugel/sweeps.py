"""Parameter sweeps: a function is called for each combination of parameters, in several processes."""
from __future__ import annotations

import concurrent.futures
import inspect
import itertools
import sys
from typing import Any, Callable, Mapping, Optional, Sequence, Union

import numpy

from . import api
from .values import Error, Rows, WrongType, invalid

Progress = Union[bool, Callable[[int, int], object]]


def _combinations(parameters: Mapping[str, Any], repeats: Optional[int]) -> list[dict[str, Any]]:
    axes = dict(parameters)
    if repeats is not None:
        if "seed" in axes:
            raise WrongType("seed", "excludes repeats")
        axes["seed"] = range(repeats)
    for name, values in axes.items():
        if isinstance(values, (str, bytes)) or not numpy.iterable(values):
            axes[name] = [values]
    return [dict(zip(axes, row)) for row in itertools.product(*axes.values())]


def _plain(value: Any) -> Any:
    """Numpy's scalars as Python's numbers, so that a call and its repetition get the same."""
    return value.item() if isinstance(value, numpy.generic) else value


def _call(measure: Callable[..., Any], parameters: Mapping[str, Any]) -> dict[str, Any]:
    result = measure(**parameters)
    return dict(result) if isinstance(result, Mapping) else {"result": result}


def _report(progress: Progress, done: int, total: int) -> None:
    if callable(progress):
        progress(done, total)
    elif progress:
        print(f"\r{done}/{total} runs", end="" if done < total else "\n", file=sys.stderr, flush=True)


def _column(name: str, values: Sequence[Any]) -> Rows:
    try:
        wide = all(isinstance(value, int) for value in values) and max(values) >= 2**63  # a hash; numpy would take floats
        column = numpy.array(values, numpy.uint64 if wide else None)
    except (ValueError, OverflowError):  # arrays of several shapes; numbers that no kind holds
        column = numpy.empty(0, object)
    if column.dtype == object or len(column) != len(values):
        raise WrongType(name, f"the values make no array, such as {values[0]!r}")
    for value, kept in zip(values, column):
        if getattr(value, "dtype", object) != column.dtype and any(x == x and x != y for x, y in zip(_items(value), _items(kept))):
            raise WrongType(name, f"{value!r} would be {_plain(kept)!r} in an array with the others")
    return column


def _items(value: Any) -> list[Any]:
    """Python's numbers and texts of a value, whose comparisons are exact."""
    return [_plain(item) for item in numpy.array(value, object).ravel()]


def _columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, Rows]:
    return {name: _column(name, [row[name] for row in rows]) for name in rows[0]}


def _table(columns: Mapping[str, Rows], results: Sequence[Mapping[str, Any]]) -> Rows:
    columns = {**columns, **_columns(results)}
    table = numpy.empty(len(results), [(name, column.dtype, column.shape[1:]) for name, column in columns.items()])
    for name, column in columns.items():
        table[name] = column
    return table


def _collect(executor: Any, measure: Callable[..., Any], runs: Sequence[Mapping[str, Any]], progress: Progress) -> list[dict[str, Any]]:
    futures = {executor.submit(_call, measure, run): index for index, run in enumerate(runs)}
    results: list[Any] = [None] * len(runs)
    names: list[str] = []
    try:
        for done, future in enumerate(concurrent.futures.as_completed(futures), 1):
            run = dict(runs[futures[future]])
            try:
                result = results[futures[future]] = future.result()
            except Exception as error:
                raise Error(api.KUGEL_ERROR_STATE, "measure", f"the run with {run} failed: {error}") from error
            names = names or list(result)
            if list(result) != names:
                raise WrongType("measure", f"with {run} gives {list(result)}, another run {names}")
            if both := sorted((run.keys() | inspect.signature(measure).parameters) & result.keys()):
                raise WrongType(both[0], f"{both[0]!r} is a parameter and a result")
            _report(progress, done, len(runs))
    finally:
        for future in futures:
            future.cancel()
    return results


def sweep(measure: Callable[..., Any], *, workers: Optional[int] = None, client: Any = None, progress: Progress = False,
          repeats: Optional[int] = None, **parameters: Any) -> Rows:
    """Call measure(**parameters) for each combination of the parameters' values, in processes.

        def measure(friction, seed):
            world = ...
            return {"height": world.read().position[:, 2].mean(), "hash": world.hash()}

        table = kugel.sweep(measure, friction=[0.1, 0.5], repeats=3)
        kugel.reproduce(measure, table[0])

    `measure` is a function of a module, so that processes can import it, and names its parameters. It returns a number, an
    array, or a dict of them; every run gives the same names and shapes. It depends on its parameters only, which it gets as
    the table has them: of the values 0 and 0.5 as floats, of lists as arrays.
    @param workers processes; the number of processors by default.
    @param client a dask.distributed Client, or an executor of concurrent.futures, which runs the calls instead.
    @param progress True prints the runs that are done to standard error; a function gets (done, all).
    @param repeats gives each combination the parameter seed = 0 ... repeats - 1.
    @return an array with a row for each run, in the order of the combinations (the last parameter changes fastest):
    a column for each parameter, then one for each result ("result" if measure returns no dict). A run that fails ends
    the sweep with a kugel.Error that has its parameters."""
    given = _combinations(parameters, repeats)
    if not given:
        raise invalid("parameters", "there is a parameter without values")
    columns = _columns([{name: _plain(value) for name, value in run.items()} for run in given])
    runs = [{name: _plain(column[row]) for name, column in columns.items()} for row in range(len(given))]
    if client is not None:
        executor = client.get_executor() if hasattr(client, "get_executor") else client
        return _table(columns, _collect(executor, measure, runs, progress))
    with concurrent.futures.ProcessPoolExecutor(workers) as executor:
        return _table(columns, _collect(executor, measure, runs, progress))


def reproduce(measure: Callable[..., Any], row: Any) -> dict[str, Any]:
    """Call measure with the parameters of a row of a sweep, in this process. @return its results, as a dict. They must
    equal the row's bit for bit, else it raises kugel.Error: then measure depends on more than its parameters."""
    names = [name for name in row.dtype.names if name in inspect.signature(measure).parameters]
    parameters = {name: _plain(row[name]) for name in names}
    result = _call(measure, parameters)
    for name, value in result.items():
        if not numpy.array_equal(row[name], value, equal_nan=numpy.asarray(value).dtype.kind == "f"):
            raise Error(api.KUGEL_ERROR_STATE, "measure", f"{name} is {value!r}, in the row {row[name]!r}: measure depends on more than {parameters}")
    return result
