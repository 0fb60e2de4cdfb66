#!/usr/bin/env python3
"""make_blackwell.py OUT: as make_sweep.sh, of every form of gpu/kernels/micro/tensor_memory_probe: tensor memory, and what else
PTX ISA 8.6 to 9.0 brought. The words of all five architectures of Blackwell go to OUT (compressed with zstd).

A form that an architecture lacks is refused by ptxas, and left out. Needs ptxas, nvdisasm and zstd.
"""

import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PROBE = HERE.parents[1] / "gpu/kernels/micro/tensor_memory_probe"
sys.path.insert(0, str(PROBE))
import make_ptx  # noqa: E402

ARCHS = ("100", "103", "110", "120", "121")
TOGETHER = 60  # kernels in a file


def output_of(*command, text=None):
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


class Compiler:
    def __init__(self, arch, folder):
        self.arch, self.folder = arch, folder

    def lines(self, kernels):
        """What listing.awk makes of these kernels' code; those that ptxas refuses are left out."""
        path = self.folder / f"{self.arch}.{kernels[0][0]}.{len(kernels)}"
        ptx, cubin = path.with_name(path.name + ".ptx"), path.with_name(path.name + ".cubin")
        head = f".version 9.0\n.target sm_{self.arch}a\n.address_size 64\n"
        ptx.write_text(head + "".join(text for _, text in kernels))
        done = subprocess.run(["ptxas", f"-arch=sm_{self.arch}a", "-o", cubin, ptx], capture_output=True, text=True)
        if done.returncode == 0:
            listing = output_of("nvdisasm", "-c", "-hex", cubin)
            return output_of("awk", "-v", f"arch={self.arch}", "-f", HERE / "listing.awk", text=listing).splitlines()
        rest = self.without_refused(head, kernels, done.stderr)
        return self.lines(rest) if rest else []

    @staticmethod
    def without_refused(head, kernels, messages):
        refused = {int(line) for line in re.findall(r"line (\d+); error", messages)}
        rest, line = [], head.count("\n")
        for name, text in kernels:
            last = line + text.count("\n")
            if not any(line < number <= last for number in refused):
                rest.append((name, text))
            line = last
        if len(rest) == len(kernels):
            raise SystemExit(messages)
        return rest


def kernels_of(arch):
    for name, lines in make_ptx.forms():
        kernel = "k_" + name.replace(":", "").replace(".", "_").replace("-", "_")
        text = make_ptx.text_of(kernel, f"sm_{arch}a", lines)
        yield kernel, text[text.index(".visible"):]


def main():
    archs_of = collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for arch in ARCHS:
            kernels = list(kernels_of(arch))
            pieces = [kernels[i:i + TOGETHER] for i in range(0, len(kernels), TOGETHER)]
            lines = set()
            for some in pool.map(Compiler(arch, pathlib.Path(folder)).lines, pieces):
                lines.update(some)
            for line in lines:
                archs_of[line.split("\t", 1)[1]].append(arch)
        rows = sorted(archs_of.items(), key=lambda each: each[0].split("\t")[1::-1])
        table = pathlib.Path(folder, "table")
        table.write_text("".join(f"{','.join(archs)}\t{line}\n" for line, archs in rows))
        subprocess.run(["zstd", "-q", "-f", "-19", table, "-o", sys.argv[1]], check=True)


if __name__ == "__main__":
    main()
