"""Lets the n-th system call or allocation of heddle's commands fail, for many n, and looks at what is left.

Whatever fails, a command must end by itself with a status and, when that is not 0, a message; each output file is
the old one or the new one; nothing else is left behind; and a status of 0 means that everything is there. A program
whose memory runs out may end by an uncaught std::bad_alloc, as C++ programs do; heddle says that it ended so. A trace
grows while the kernel runs: after a failure it is the beginning of the new one. The record of a program that was given
the failure itself holds the launches up to there.

    fault_injection.py --heddle build/release/cli/heddle --preload libfailing_malloc.so --program launches
                       [--complete] [--only REGEX] [--kind KIND] [--most N] [--verbose]

A failing system call is made by strace, a failing allocation by failing_malloc.cpp. Without --complete a few n are
tried per command and kind: the first ones, the last ones, and some between, the same ones in each run. Where strace may
not trace (some containers), only allocations fail.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
CAPSULES = SOURCE / "validation/capsules/simple_divergence.sm_90.O3"
AMPERE = SOURCE / "gpu/runtime/fuzz/seeds/atomics.sm_80.capsule"
SKETCH = SOURCE / "traces/kernels/simple_divergence.warp"
CUBIN = SOURCE / "isa/tests/cubins/lines.sm_90.cubin"
FATBIN = SOURCE / "gpu/runtime/tests/data/accumulate.fatbin"
OLD = b"what was there before\n"
KINDS = {  # of a failing call: the system calls that count, and the error
    "write": ("write,writev,pwrite64", "ENOSPC"),
    "open": ("openat,open", "EMFILE"),
    "mmap": ("mmap", "ENOMEM"),
    "sync": ("fsync,fdatasync,rename,renameat2,ftruncate", "EIO"),
    "malloc": (None, None),
}
TIMEOUT_SECONDS = 120


class Case(collections.namedtuple("Case", "name words files folder part", defaults=((), None, None))):
    """A command: its words, the files it writes (which hold something before), and the folder it fills.

    `part` tells whether a text is what a failure may leave of the new one; without it that is nothing.
    """

    def may_be_left(self, text, new):
        return self.part is not None and self.part(text, new)


def beginning(text, new):
    return new.startswith(text)


def first_events(text, new):
    return new.startswith(text.removesuffix(b"]").rstrip())


def document(text, _):
    """Two runs differ in the times that they took: a whole document will do."""
    return text.rstrip().endswith((b"</html>", b"}", b"]"))


def first_launches(text, new):
    try:
        some, every = json.loads(text), json.loads(new)
    except ValueError:
        return False
    some, every = ([launch["index"] for launch in record["launches"]] for record in (some, every))
    return some == every[:len(some)]


def cases(program):
    capsule = str(sorted(CAPSULES.glob("*.capsule"))[0])
    sketch = [str(SKETCH)]
    run = [str(program), str(FATBIN)]
    return [
        Case("run", ["run", capsule]),
        Case("record", ["run", "--per-pc", "--memory", "-o", "out.json", capsule], ("out.json",)),
        Case("record.zst", ["run", "-o", "out.json.zst", capsule], ("out.json.zst",)),
        Case("csv", ["run", "--csv", "out.csv", capsule], ("out.csv",)),
        Case("timed", ["run", "--timing", "on", "-o", "out.json", capsule], ("out.json",)),
        Case("check", ["run", "--check", "all", "-o", "out.json", capsule], ("out.json",)),
        Case("sketch", ["run", "-o", "out.json", *sketch], ("out.json",)),
        Case("advice", ["run", "--advice", capsule]),
        Case("trace text", ["run", "--trace", "text=out.txt", capsule], ("out.txt",), None, beginning),
        Case("trace perfetto", ["run", "--trace", "perfetto=out.pftrace", "--timing", "on", capsule], ("out.pftrace",),
             None, first_events),
        Case("trace accelsim", ["run", "--trace", "accelsim=out", str(AMPERE)], (), "out", beginning),
        Case("program", ["run", "-o", "out.json", "--", *run], ("out.json",), None, first_launches),
        Case("capture", ["run", "--capture", "out", "--", *run], (), "out"),
        Case("trace program", ["run", "--trace", "text=out.txt", "--", *run], ("out.txt",), None, beginning),
        Case("show", ["show", "--per-pc", "record.json"]),
        Case("show csv", ["show", "--csv", "out.csv", "record.json"], ("out.csv",)),
        Case("compare", ["compare", "record.json", "record.json"]),
        Case("disasm", ["disasm", str(CUBIN)]),
        Case("page", ["step", "--html", "out.html", capsule], ("out.html",)),
        Case("simplify", ["simplify", "-o", "out.warp", capsule], ("out.warp",)),
        Case("validate", ["validate", "--capsules", "--json", "out.json", "--html", "out.html", "vector_add"],
             ("out.json", "out.html"), None, document),
        Case("occupancy", ["occupancy", "--gpu", "h200", "--block", "256", "--svg", "out.svg"], ("out.svg",)),
        Case("calibrate", ["calibrate", "--model", "h200.toml"], ("h200.toml",)),
        Case("explain", ["explain", "branch_efficiency"]),
        Case("reference", ["reference", "man"]),
    ]


class Result:
    """What a command did: its status, its texts, and the files of its folder by name."""

    def __init__(self, status, out, err, files):
        self.status, self.out, self.err, self.files = status, out, err, files


class Sweep:
    def __init__(self, options):
        self.options = options
        self.record = None
        self.outcomes = collections.Counter()

    def prepare(self, folder, case):
        if self.record is not None:
            (folder / "record.json").write_bytes(self.record)
        for name in case.files:
            (folder / name).write_bytes(OLD)
        if case.name == "calibrate":
            shutil.copy(SOURCE / "simulator/models/h200.toml", folder / "h200.toml")

    def run(self, case, prefix=(), environment=None):
        """Runs the command in a folder of its own, as PREFIX says."""
        with tempfile.TemporaryDirectory(prefix="heddle-fault.") as top:
            folder, temporary = Path(top) / "here", Path(top) / "tmp"
            folder.mkdir()
            temporary.mkdir()
            self.prepare(folder, case)
            before = {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
            variables = {**os.environ, **(environment or {}), "TMPDIR": str(temporary), "HOME": top, "NO_COLOR": "1"}
            process = subprocess.Popen([*prefix, self.options.heddle, *case.words], cwd=folder, env=variables,
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       start_new_session=True)
            try:
                out, err = process.communicate(timeout=TIMEOUT_SECONDS)
                status = process.returncode
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                out, err = process.communicate()
                status = "does not end"
            files = {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
            left = [path.relative_to(top) for path in temporary.rglob("*")]
            result = Result(status, out, err, {str(name): text for name, text in files.items()})
            result.before = {str(name): text for name, text in before.items()}
            result.left = [str(name) for name in left]
            return result

    def strace(self, kind, log, number=None):
        calls, error = KINDS[kind]
        words = ["strace", "-f", "--seccomp-bpf", "-qqq", "-e", "signal=none", "-e", f"trace={calls},access",
                 "-o", str(log)]
        if number is not None:
            words += ["-e", f"inject={calls}:error={error}:when={number}"]
        return words

    def count(self, case, kind):
        """The calls of the kind that are heddle's own, by number: from the first behind the loader's to the last."""
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "log"
            if kind == "malloc":
                self.run(case, (), {"LD_PRELOAD": self.options.preload, "HEDDLE_COUNT_ALLOCATIONS": str(log)})
                return range(1, 1 + max((int(line) for line in log.read_text().split()), default=0))
            self.run(case, self.strace(kind, log), {"LD_PRELOAD": self.options.preload})
            counts, loaders = collections.Counter(), 0
            for call in re.finditer(r"^(\d+) +([a-z0-9]+)\((\"/main-begins\")?", log.read_text(), re.M):
                process, name, mark = call.groups()
                if mark:
                    loaders = max([loaders] + [number for (of, _), number in counts.items() if of == process])
                elif name != "access":
                    counts[process, name] += 1
            return range(1 + loaders, 1 + max(counts.values(), default=0))

    def numbers(self, calls):
        """All of them, or the first ones, the last ones, and some between."""
        most = len(calls) if self.options.complete else self.options.most
        if len(calls) <= most:
            return list(calls)
        ends = most // 4
        between = most - 2 * ends
        step = (len(calls) - 2 * ends) / between
        return [*calls[:ends], *(calls[ends + int(i * step)] for i in range(between)), *calls[-ends:]]

    def wrong(self, case, normal, result, to_stderr):
        """What is not as promised; nothing where all is well."""
        if not isinstance(result.status, int):
            yield result.status
            return
        if result.status < 0:
            yield f"killed by {signal.Signals(-result.status).name}"
        out_of_memory = b"terminate called after throwing an instance of 'std::bad_alloc'" in result.err
        if out_of_memory and b"heddle: the program was ended by signal 6" in result.err:
            if result.status == 0:
                yield "status 0"
            return (yield from self.wrong_files(case, normal, result, True))
        if b"terminate called" in result.err or b"Assertion" in result.err or result.status in (134, 139):
            yield "crashed"
        failed = result.status != normal.status
        if failed and result.status == 0:
            yield "status 0"
        if failed and not result.err.strip() and not to_stderr:
            yield f"status {result.status} without a message"
        yield from self.wrong_files(case, normal, result, failed)
        if not failed and result.out != normal.out:
            yield f"status {result.status}, but not all of the output"

    def wrong_files(self, case, normal, result, failed):
        for name in case.files:
            text = result.files.get(name)
            if text is None:
                yield f"{name} is gone"
            elif text == normal.files[name] or failed and text == result.before[name]:
                continue
            elif not failed or not case.may_be_left(text, normal.files[name]):
                yield f"{name} is neither the old one nor the new one"
        for name, text in result.files.items():
            if name in case.files or result.before.get(name) == text:
                continue
            if name not in normal.files:
                yield f"{name} is left behind"
            elif text != normal.files[name] and not (failed and case.may_be_left(text, normal.files[name])):
                yield f"{name} is not whole"
        if not failed:
            yield from (f"status {result.status} without {name}" for name in normal.files if name not in result.files)
        for name in result.left:
            yield f"{name} is left behind"

    def inject(self, case, kind, number, normal):
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "log"
            if kind == "malloc":
                result = self.run(case, (), {"LD_PRELOAD": self.options.preload, "HEDDLE_FAIL_ALLOCATION": str(number)})
                injected = ""
            else:
                result = self.run(case, self.strace(kind, log, number), {"LD_PRELOAD": self.options.preload})
                injected = "\n".join(line for line in log.read_text().splitlines() if "INJECTED" in line)
        to_stderr = re.search(r"write\(2,", injected) is not None
        wrong = list(self.wrong(case, normal, result, to_stderr))
        return case, kind, number, result, wrong, injected

    def tell(self, case, kind, number, result, wrong, injected):
        outcome = "wrong" if wrong else "ended with a message" if result.status else "ended well"
        self.outcomes[kind, outcome] += 1
        if wrong or self.options.verbose:
            print(f"{case.name}: {kind} {number}: {'; '.join(wrong) or 'status ' + str(result.status)}\n    {injected}"
                  f"\n    {result.err.decode(errors='replace').strip()[-400:]}", flush=True)

    def sweep_one(self, pool, case):
        normal = self.run(case)
        if normal.status not in (0, 1):
            return self.tell(case, "none", 0, normal, ["fails without any fault"], "")
        tasks = []
        for kind in (kind for kind in KINDS if self.options.kind in ("", kind)):
            tasks += [pool.submit(self.inject, case, kind, number, normal)
                      for number in self.numbers(self.count(case, kind))]
        for task in concurrent.futures.as_completed(tasks):
            self.tell(*task.result())

    def sweep(self):
        first = Case("record", ["run", "--per-pc", "-o", "record.json", str(sorted(CAPSULES.glob("*.capsule"))[0])],
                     ("record.json",))
        self.record = self.run(first).files["record.json"]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for case in cases(self.options.program):
                if re.search(self.options.only, case.name):
                    self.sweep_one(pool, case)
        for (kind, outcome), count in sorted(self.outcomes.items()):
            print(f"{kind:8} {count:6} {outcome}")
        return 1 if any(outcome == "wrong" for _, outcome in self.outcomes) else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", required=True)
    parser.add_argument("--preload", required=True)
    parser.add_argument("--program", required=True)
    parser.add_argument("--complete", action="store_true", help="every n")
    parser.add_argument("--most", type=int, default=8, help="how many n to try per command and kind")
    parser.add_argument("--only", default="", help="commands whose name matches")
    parser.add_argument("--kind", default="", choices=["", *KINDS])
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    options.heddle = str(Path(options.heddle).resolve())
    options.preload = str(Path(options.preload).resolve())
    options.program = str(Path(options.program).resolve())
    sys.exit(Sweep(options).sweep())


main()
