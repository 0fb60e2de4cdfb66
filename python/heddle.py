"""Reads Heddle's records (docs/record.md) as plain rows, or as pandas data frames.

    import heddle
    record = heddle.read("out.json.zst")
    heddle.launches(record)       # a row per launch, a column per metric
    heddle.instructions(record)   # a row per instruction (records made with --per-pc)
    heddle.library_calls(record)  # a row per call of cuBLAS or its like
    heddle.compare(record, heddle.read("hardware.json.zst"))

It also makes records: of a function that launches kernels with Numba, CuPy or PyTorch.

    record = heddle.run(function, arguments, …)

And it makes many runs, on threads or on any executor of concurrent.futures.

    heddle.sweep(["sketch.warp"], {"--block": [64, 128, 256], "n": [4, 8]})

Each of these is a data frame; the same name with _rows gives a list of dictionaries and needs
nothing but Python's own library. Compressed records need the module zstandard or the program zstd.
"""

import concurrent.futures
import itertools
import json
import os
import pathlib
import pickle
import shutil
import subprocess
import sys
import tempfile

SCHEMA = "heddle.record/1"


class RecordError(ValueError):
    """A file that is no record, with what is wrong."""


def _decompressed(path):
    try:
        import zstandard
    except ImportError:
        done = subprocess.run(["zstd", "-dcq", "--", path], capture_output=True)
        if done.returncode != 0:
            raise RecordError(f"{path}: {done.stderr.decode(errors='replace').strip()}")
        return done.stdout
    with open(path, "rb") as file:
        try:
            return zstandard.ZstdDecompressor().stream_reader(file).read()
        except zstandard.ZstdError as error:
            raise RecordError(f"{path}: {error}") from error


def read(path):
    """The record in a file, as the dictionary that its JSON is. Raises RecordError."""
    path = str(path)
    if path.endswith(".zst"):
        text = _decompressed(path)
    else:
        with open(path, "rb") as file:
            text = file.read()
    try:
        record = json.loads(text)
    except ValueError as error:
        raise RecordError(f"{path}: {error}") from error
    schema = record.get("schema") if isinstance(record, dict) else None
    if schema != SCHEMA:
        raise RecordError(f"{path}: schema is {schema!r}, expected {SCHEMA!r}")
    record["launches"] = _in_full(path, record.get("launches", []))
    return record


def _in_full(path, launches):
    """Launches told as one before them (docs/record.md), as what they are."""
    known = {}
    result = []
    for launch in launches:
        if isinstance(launch, dict) and "as" in launch:
            if launch["as"] not in known:
                raise RecordError(f"{path}: no launch {launch['as']!r} is before one told as it")
            launch = {**known[launch["as"]], "index": launch.get("index")}
        elif isinstance(launch, dict):
            known[launch.get("index")] = launch
        result.append(launch)
    return result


class RunError(RuntimeError):
    """A run that did not end well, with what it wrote on stderr."""


# What the new process does: finds the function in its file, and calls it.
_CALL = """
import pickle, runpy, sys
with open(sys.argv[1], "rb") as file:
    folder, path, name = pickle.load(file)
    sys.path.insert(0, folder)
    module = runpy.run_path(path, run_name="heddle_run")
    function = module[name]
    arguments, keywords = pickle.load(file)
function(*arguments, **keywords)
"""


def run(function, *arguments, options=(), **keywords):
    """The record of function(*arguments, **keywords) on the model.

    A new process of Python calls it under `heddle run`; `options` are more of that command's, as in
    options=["--gpu", "a100", "--per-pc"]. As with multiprocessing, the function stands at the top
    level of a file, which is executed once more with another __name__ than "__main__", and
    arguments are pickled: what it changes in them, and what it returns, is lost. The command is the
    one that HEDDLE names, or the one in PATH. Raises RunError.
    """
    path = getattr(function, "__globals__", {}).get("__file__")
    if path is None or "." in function.__qualname__:
        raise RunError(f"{function!r} does not stand at the top level of a file")
    with tempfile.TemporaryDirectory() as folder:
        call = pathlib.Path(folder) / "call"
        path = pathlib.Path(path).resolve()
        with open(call, "wb") as file:
            pickle.dump((str(path.parent), str(path), function.__name__), file)
            pickle.dump((arguments, keywords), file)
        return _record([*options, "--", sys.executable, "-c", _CALL, call])


def _record(words, stdout=None):
    """The record of `heddle run` with these words."""
    command = os.environ.get("HEDDLE") or shutil.which("heddle")
    if command is None:
        raise RunError("there is no command heddle: put it into PATH, or its file's name into HEDDLE")
    with tempfile.TemporaryDirectory() as folder:
        record = pathlib.Path(folder) / "record.json"
        done = subprocess.run([command, "run", "--record", record, *words],
                              stdout=stdout, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0 or not record.exists():
            raise RunError(f"heddle run ended with {done.returncode}:\n{done.stderr}")
        return read(record)


def _job(target, setting, options):
    """The rows of one run of a sweep; of a run that fails one row, with the key "failed"."""
    given = [f"{name}={value}" for name, value in setting.items() if name.startswith("--")]
    others = {name: value for name, value in setting.items() if not name.startswith("--")}
    try:
        if callable(target):
            record = run(target, options=[*options, *given], **others)
        else:
            words = [str(word) for word in target]
            for name, value in others.items():
                place = "{" + name + "}"
                if any(place in word for word in words):
                    words = [word.replace(place, str(value)) for word in words]
                else:
                    given.append(f"--param={name}={value}")
            record = _record([*options, *given, *words], stdout=subprocess.DEVNULL)
    except RunError as error:
        return [{**setting, "failed": str(error)}]
    return [{**setting, **row} for row in launches_rows(record)]


def sweep_rows(target, settings, *, options=(), executor=None):
    """The rows of launches_rows for every combination of the settings' values, in their order.

    `target` is the words behind `heddle run`, or a function as heddle.run takes it. A setting that
    begins with -- is an option of `heddle run`. Any other is an argument of the function by its
    name; in words it replaces {name}, or else is a sketch's parameter. Each row also has the
    settings. A run that fails is one row, with what it said under "failed".

    `executor` is any of concurrent.futures, also Dask's Client.get_executor() and mpi4py's
    MPIPoolExecutor; its workers need this module, the command and the target's files. Without one,
    as many runs go on at once as there are cores.
    """
    names = list(settings)
    jobs = [dict(zip(names, values)) for values in itertools.product(*settings.values())]
    if executor is None:
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as threads:
            return sweep_rows(target, settings, options=options, executor=threads)
    options = list(options)
    futures = [executor.submit(_job, target, setting, options) for setting in jobs]
    return [row for future in futures for row in future.result()]


def _of_launch(record, launch):
    return {
        "source": record.get("source"),
        "device": record.get("device"),
        "launch": launch["index"],
        "kernel": launch["kernel"],
    }


def launches_rows(record):
    """A dictionary per launch: what it is, then its metrics by name."""
    rows = []
    for launch in record["launches"]:
        row = _of_launch(record, launch)
        for key in ("grid", "block"):
            row.update({f"{key}_{axis}": size for axis, size in zip("xyz", launch[key])})
        for key in ("registers", "static_shared_bytes", "dynamic_shared_bytes", "class", "races", "fault"):
            if key in launch:
                row[key] = launch[key]
        row.update(launch.get("metrics", {}))
        rows.append(row)
    return rows


def instructions_rows(record):
    """A dictionary per instruction. A metric that the launch has and the instruction lacks is 0."""
    rows = []
    for launch in record["launches"]:
        instructions = launch.get("instructions", [])
        names = sorted({name for each in instructions for name in each.get("metrics", {})})
        for each in instructions:
            row = _of_launch(record, launch)
            for key in ("function", "pc", "line", "inlined", "text"):
                row[key] = each.get(key)
            metrics = each.get("metrics", {})
            row.update({name: metrics.get(name, 0) for name in names})
            rows.append(row)
    return rows


def library_calls_rows(record):
    """A dictionary per call of a library's routine that the host computed."""
    return [dict(call) for call in record.get("library_calls", [])]


def compare_rows(model, hardware):
    """A dictionary per launch and metric that both records have: both values and their ratio."""
    others = {(launch["index"], launch["kernel"]): launch for launch in hardware["launches"]}
    rows = []
    for launch in model["launches"]:
        other = others.get((launch["index"], launch["kernel"]))
        if other is None:
            continue
        for name, value in launch.get("metrics", {}).items():
            if name not in other.get("metrics", {}):
                continue
            measured = other["metrics"][name]
            ratio = value / measured if measured else None
            rows.append(
                {
                    "launch": launch["index"],
                    "kernel": launch["kernel"],
                    "metric": name,
                    "model": value,
                    "hardware": measured,
                    "ratio": ratio,
                }
            )
    return rows


def _frame(rows):
    import pandas

    return pandas.DataFrame(rows)


def launches(record):
    """launches_rows as a data frame."""
    return _frame(launches_rows(record))


def instructions(record):
    """instructions_rows as a data frame."""
    return _frame(instructions_rows(record))


def sweep(target, settings, *, options=(), executor=None):
    """sweep_rows as a data frame."""
    return _frame(sweep_rows(target, settings, options=options, executor=executor))


def library_calls(record):
    """library_calls_rows as a data frame."""
    return _frame(library_calls_rows(record))


def compare(model, hardware):
    """compare_rows as a data frame."""
    return _frame(compare_rows(model, hardware))
