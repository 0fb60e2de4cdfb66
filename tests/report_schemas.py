"""Reports of heddle run, by the schemas that scripts/setup_schemas.sh fetched: of a run without
problems, with findings, with a fault, with a condition that holds, and of no launch at all.
HEDDLE and LAUNCHING name the command and a program that launches kernels. Status 77: no schemas."""
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCHEMAS = ROOT / "build/schemas"
CAPSULES = ROOT / "validation/capsules/simple_divergence.sm_90.G"
RACE = """__global__ void turn(int *c) {
  __shared__ int tile[64];
  tile[threadIdx.x] = c[threadIdx.x];
  c[threadIdx.x] = tile[63 - threadIdx.x];
}
turn<<<1, 64>>>(counting(64));
"""


def main():
    if not (SCHEMAS / "ready").exists():
        print("skipped: scripts/setup_schemas.sh fetches the schemas")
        return 77
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        (folder / "race <&>.warp").write_text(RACE)
        launching = os.environ["LAUNCHING"]
        runs = {
            "clean": (0, [CAPSULES]),
            "findings": (1, ["--check", "all", folder / "race <&>.warp"]),
            "conditions": (1, ["--fail-on", "divergent_branch > 0", CAPSULES]),
            "fault": (1, ["--check", "memory", "--", launching, "fault"]),
            "nothing": (0, ["--", "true"]),
        }
        reports = []
        for name, (status, words) in runs.items():
            files = [folder / f"{name}.xml", folder / f"{name}.sarif"]
            ran = subprocess.run([os.environ["HEDDLE"], "run", "--quiet", "--junit", files[0], "--sarif", files[1],
                                  *words], capture_output=True, text=True)
            assert ran.returncode == status, (name, ran.returncode, ran.stderr)
            reports += files
        return subprocess.run([SCHEMAS / "python/bin/python", ROOT / "tests/package/validate.py", SCHEMAS,
                               *reports]).returncode


sys.exit(main())
