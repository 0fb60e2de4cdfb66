#!/usr/bin/env python3
"""compare_builds.py [--builds NAME,…] [--jobs N] HEDDLE PROGRAM.cu…: the same program, compiled otherwise.

Each program is compiled without contraction (-fmad=false) at several levels of optimisation and for several
architectures, and every build runs on the model, HEDDLE being the command. What they print must be the same, and every
launch must come to its end. Needs nvcc. Exit status: 0 all the same, 1 not, 2 something could not be compiled.

Builds (default: all): O3 and G (as far as compilers go, and -G), O0 and O1 (of ptxas), few (24 registers, so that
values spill), fast (--use_fast_math; only has to run).
"""
import argparse
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# Options of each build, and whether it is for all architectures or for sm_90 alone.
BUILDS = {
    "O3": (["-O3"], True), "G": (["-G"], True), "O0": (["-O3", "-Xptxas", "-O0"], False),
    "O1": (["-O3", "-Xptxas", "-O1"], False), "few": (["-O3", "-maxrregcount", "24"], False),
    "fast": (["-O3", "--use_fast_math"], True),
}
MODELS = Path(__file__).resolve().parents[3] / "simulator/models"


def default_gpus():
    """By architecture, the model that its programs run on."""
    models = {path.stem: tomllib.loads(path.read_text()) for path in MODELS.glob("*.toml")}
    found = {model["arch"]: name for name, model in models.items() if "default" in model.get("roles", [])}
    return dict(sorted(found.items()))


GPUS = default_gpus()


def architectures(source, everywhere):
    """sm_90's code from its own PTX, the others' from the oldest that has what the program uses."""
    if not everywhere:
        return ["sm_90"], ["-arch=sm_90"]
    oldest = "80" if "cuda_bf16.h" in source else "75"
    older = [name for name in GPUS if oldest <= name[3:] < "90"]
    return older + ["sm_90"], ["-gencode", "arch=compute_90,code=sm_90",
                               "-gencode", f"arch=compute_{oldest},code=[{','.join(older)}]"]


def run(heddle, binary, name):
    """What the program printed, or nothing and why."""
    done = subprocess.run([heddle, "run", "--gpu", GPUS[name], "--metrics", "smsp__inst_executed.sum", "--", binary],
                          capture_output=True, text=True, timeout=600)
    said = [line for line in done.stderr.splitlines() if line.startswith("heddle: ")]
    return (done.stdout, "") if done.returncode == 0 else (None, f"status {done.returncode}: {' '.join(said)}")


def compare(heddle, program, builds, folder):
    """The differences found, as lines; raises CalledProcessError where nvcc fails."""
    source, problems, first = program.read_text(), [], None
    for build in builds:
        options, everywhere = BUILDS[build]
        names, targets = architectures(source, everywhere)
        binary = folder / f"{program.stem}.{build}"
        subprocess.run(["nvcc", "-w", "-std=c++17", "-cudart", "shared", "-fmad=false", "-Xcompiler", "-O0", *options,
                        *targets, "-o", binary, program], check=True, capture_output=True, text=True)
        for name in names:
            printed, trouble = run(heddle, binary, name)
            if printed is None:
                problems.append(f"{program.stem} {build} {name}: {trouble}")
            elif build != "fast":
                first = printed if first is None else first
                problems += [f"{program.stem} {build} {name}: {ours}, elsewhere {theirs}"
                             for ours, theirs in zip(printed.splitlines(), first.splitlines()) if ours != theirs]
    return problems


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--builds", default=",".join(BUILDS))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("heddle")
    parser.add_argument("programs", nargs="+", type=Path)
    given = parser.parse_args()
    builds = given.builds.split(",")
    if unknown := set(builds) - set(BUILDS):
        parser.error(f"no such build: {', '.join(sorted(unknown))}")
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(given.jobs) as pool:
        try:
            found = list(pool.map(lambda program: compare(given.heddle, program, builds, Path(folder)), given.programs))
        except subprocess.CalledProcessError as error:
            sys.stderr.write(error.stderr)
            sys.exit(2)
    for problem in sum(found, []):
        print(problem)
    print(f"{len(given.programs)} programs, {sum(1 for problems in found if problems)} of them with differences")
    sys.exit(1 if any(found) else 0)


if __name__ == "__main__":
    main()
