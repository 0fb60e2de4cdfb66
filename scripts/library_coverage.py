#!/usr/bin/env python3
"""Which of the routines that Python packages import the stand-ins of libraries compute.

    scripts/library_coverage.py build/release/gpu/runtime/libraries PYTHON…

PYTHON: environments (folders made by `python3 -m venv`) with PyTorch or CuPy. A routine is imported
where a module of the package leaves its symbol undefined; it is covered where the stand-in defines
it, and missing where the stand-in only says that it is not supported, or has no such name. Needs
`nm`. Prints a table, and below it what is missing.
"""

import pathlib
import subprocess
import sys

# Beginnings of names, in the order in which they are looked for.
LIBRARIES = {"cublasLt": "cuBLASLt", "cusparseLt": "cuSPARSELt", "cudnn": "cuDNN", "cublas": "cuBLAS",
             "cufft": "cuFFT", "curand": "cuRAND", "cusolver": "cuSOLVER", "cusparse": "cuSPARSE"}
PACKAGES = {"PyTorch": ("torch",), "CuPy": ("cupy", "cupy_backends", "cupyx")}


def symbols(file, *options):
    """Names, and the letters that nm has for them."""
    done = subprocess.run(["nm", "-D", *options, file], capture_output=True, text=True)
    words = [line.split() for line in done.stdout.splitlines()]
    return {each[-1].partition("@")[0]: each[-2] for each in words if len(each) > 1}


def library_of(name):
    return next((LIBRARIES[each] for each in LIBRARIES
                 if name.startswith(each) and name[len(each):][:1].isupper()), None)


def imported(environments, folders):
    names = set()
    for environment in environments:
        for packages in pathlib.Path(environment).glob("lib/python3*/site-packages"):
            for folder in folders:
                for file in (packages / folder).rglob("*.so*"):
                    names.update(symbols(file, "--undefined-only"))
    return {name for name in names if library_of(name)}


def covered_by(stand_ins):
    names = set()
    for file in pathlib.Path(stand_ins).glob("lib*.so.*"):
        names.update(name for name, letter in symbols(file, "--defined-only").items() if letter == "T")
    return names


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__.strip())
    covered = covered_by(sys.argv[1])
    missing = []
    print("| library | package | imported | covered |")
    print("|---|---|---|---|")
    for package, folders in PACKAGES.items():
        names = imported(sys.argv[2:], folders)
        for library in sorted({library_of(name) for name in names}):
            wanted = {name for name in names if library_of(name) == library}
            print(f"| {library} | {package} | {len(wanted)} | {len(wanted & covered)} |")
            if wanted - covered:
                missing.append(f"{package}, {library}: {' '.join(sorted(wanted - covered))}")
    print("\nNot covered:\n" + "\n".join(missing))


if __name__ == "__main__":
    main()
