#!/usr/bin/env python3
"""Which of the routines that Python packages import, and NVIDIA's samples name, the stand-ins of libraries compute.

    scripts/library_coverage.py build/release/gpu/runtime/libraries [--samples FOLDER] PYTHON…

PYTHON: environments (folders made by `python3 -m venv`) with PyTorch or CuPy. A routine is imported
where a module of the package leaves its symbol undefined; it is covered where the stand-in defines
it, and missing where the stand-in only says that it is not supported, or has no such name. FOLDER: a
checkout of NVIDIA's cuda-samples; its sources name a routine as the library exports it, or without
the ending _v2. Needs `nm`. Prints a table, and below it what is missing.
"""

import argparse
import pathlib
import re
import subprocess

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


def exported_by(stand_ins):
    """All names, and those that are covered."""
    names, covered = set(), set()
    for file in pathlib.Path(stand_ins).glob("lib*.so.*"):
        found = symbols(file, "--defined-only")
        names.update(found)
        covered.update(name for name, letter in found.items() if letter == "T")
    return names, covered


def named_in_sources(folder, exported):
    names = set()
    for file in pathlib.Path(folder).rglob("*"):
        if file.suffix in (".cu", ".cuh", ".cpp", ".c", ".h", ".hpp"):
            for word in re.findall(r"\bcu[a-z]+[A-Z]\w*", file.read_text(errors="replace")):
                names.add(word + "_v2" if word + "_v2" in exported else word)
    return names & exported


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("stand_ins")
    words.add_argument("--samples")
    words.add_argument("environments", nargs="*")
    given = words.parse_intermixed_args()
    exported, covered = exported_by(given.stand_ins)
    users = {package: imported(given.environments, folders) for package, folders in PACKAGES.items()}
    if given.samples:
        users["NVIDIA's samples"] = {name for name in named_in_sources(given.samples, exported) if library_of(name)}
    missing = []
    print("| library | package | imported | covered |")
    print("|---|---|---|---|")
    for package, names in users.items():
        for library in sorted({library_of(name) for name in names}):
            wanted = {name for name in names if library_of(name) == library}
            print(f"| {library} | {package} | {len(wanted)} | {len(wanted & covered)} |")
            if wanted - covered:
                missing.append(f"{package}, {library}: {' '.join(sorted(wanted - covered))}")
    print("\nNot covered:\n" + "\n".join(missing))


if __name__ == "__main__":
    main()
