"""How far what two machines' libraries compute differs, for each routine of a program of this folder.

  library_errors.py --keep OUT.npz PROGRAM...       runs programs, and keeps each result that they look at
  library_errors.py MODEL.npz GPU.npz               prints routine, precision, results and the largest error

Errors are relative to the largest number of the GPU's result. Programs look at results by `close`,
behind a `call` of the routine. Each of their parts starts with the same random numbers: one that
fails on one machine is left out there, and leaves the others as they are.
"""

import ast
import collections
import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
WHAT_CLOSE_TAKES = {  # where the result stands among the arguments of close
    "cublas_routines": 1,
    "cusolver_generic": 0,
    "cusolver_sparse": 1,
}
LIBRARIES = {"cusolver_generic": "cusolverDn", "cusolver_sparse": "cusolver"}  # that `call` adds to names


def upright(vectors):
    """Vectors are right times any phase: here their largest numbers are positive."""
    if vectors.ndim < 2:
        return vectors
    largest = np.take_along_axis(vectors, np.abs(vectors).argmax(axis=0)[None], axis=0)
    return vectors * (np.abs(largest) / largest)


# What is not determined of a result.
SAME = {
    "cusolverDnXsyevd": upright,
    "cusolverDn?gesvdaStridedBatched": upright,
    "cusolverSp?csrcholDiag": np.sort,  # rows are eliminated in an order of the library's own
}


class Keeper:
    def __init__(self):
        self.results, self.part, self.routine, self.counts = {}, "", "", collections.Counter()

    def keep(self, found):
        if hasattr(found, "get"):  # of the device
            found = found.get()
        key = f"{self.part}|{self.routine}"
        self.counts[key] += 1
        self.results[f"{key}|{self.counts[key]}"] = np.asarray(found)

    def run(self, program):
        tree = ast.parse((HERE / f"{program}.py").read_text(encoding="utf-8"))
        first = max(i for i, node in enumerate(tree.body) if isinstance(node, ast.FunctionDef)) + 1
        names = {"__name__": program}
        self.execute(tree.body[:first], names)
        named = {node.id for each in tree.body[first:] for node in ast.walk(each) if isinstance(node, ast.Name)}
        parts = named & {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        library = LIBRARIES.get(program, "")
        call, close = names["call"], names["close"]

        def noted_call(name, *arguments, **more):
            across = names.get("across") is not None
            self.routine = library + (name.replace("cublas", "cublasXt") if across else name)
            return call(name, *arguments, **more)

        def keeping_close(*arguments):
            self.keep(arguments[WHAT_CLOSE_TAKES[program]])
            return close(*arguments)

        names.update(call=noted_call, close=keeping_close)
        for name in parts - {"call", "close"}:
            names[name] = self.guarded(names[name], names)
        self.execute(tree.body[first:], names)

    def guarded(self, part, names):
        def run(*arguments):
            self.part = "|".join([names["__name__"], part.__name__, *map(str, arguments)])
            names["RANDOM"] = np.random.default_rng(5)
            try:
                return part(*arguments)
            except Exception as error:  # on one of the machines
                if "across" in names:
                    names["across"] = None
                print(f"left out from here on: {self.part}: {self.routine}: {str(error)[:200]}", file=sys.stderr)

        run.__name__ = part.__name__
        return run

    @staticmethod
    def execute(body, names):
        exec(compile(ast.Module(body, []), names["__name__"], "exec"), names)


def routine_and_precision(key, result):
    """cublasSgemm and cublasZgemm are one routine, in single and in double precision."""
    name = key.split("|")[-2].removesuffix("_v2")
    for start in ("cublasXt", "cublas", "cusolverSp", "cusolverDn"):
        rest = name.removeprefix(start)
        by_type = not rest.endswith("Ex") or rest.startswith(("Sgemm", "Cgemm"))  # else: the types are arguments
        if rest != name and rest[0] in "SDCZ" and rest[1].islower() and by_type:
            return f"{start}?{rest[1:]}", "double" if rest[0] in "DZ" else "single"
    return name, "double" if result.dtype in (np.float64, np.complex128) else "single"


def compare(model, gpu):
    rows = collections.defaultdict(lambda: [0, 0.0])
    for key in gpu.files:
        if key not in model.files:
            continue
        routine, precision = routine_and_precision(key, gpu[key])
        wanted, found = (SAME.get(routine, np.asarray)(each[key]) for each in (gpu, model))
        row = rows[routine, precision]
        row[0] += 1
        if wanted.size:
            row[1] = max(row[1], float(np.abs(found - wanted).max() / (np.abs(wanted).max() or 1)))
    for (name, precision), (count, error) in sorted(rows.items()):
        print(f"{name},{precision},{count},{error:.1e}")


def main():
    if sys.argv[1:2] != ["--keep"]:
        return compare(np.load(sys.argv[1]), np.load(sys.argv[2]))
    keeper = Keeper()
    for program in sys.argv[3:]:
        keeper.run(program)
    np.savez_compressed(sys.argv[2], **keeper.results)
    print(f"kept {len(keeper.results)} results")


if __name__ == "__main__":
    main()
