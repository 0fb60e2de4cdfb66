"""Compiles Cases, many at once, and says of each what became of its `if`.

branch     a conditional jump over it is left
predicate  no jump; instructions of it are under a predicate (or the rest of the kernel behind an EXIT that is)
select     no jump and nothing under a predicate: what is computed is chosen among; for CUDA C, a kernel in whose
           PTX no jump is left, as NVVM made the choice before ptxas saw one

"""
import pathlib
import re
import subprocess
import tempfile

from kernels import AROUND_LOOP, CUDA_HEAD, END, WITHIN, cuda, ptx, ptx_head

OUTCOMES = SELECT, PREDICATE, BRANCH = ("select", "predicate", "branch")
PER_FILE = 400


def listings(heddle, cubin):
    """Instructions and labels of each kernel."""
    text = subprocess.run([heddle, "disasm", cubin], check=True, capture_output=True, text=True).stdout
    kernels, current = {}, None
    for line in text.splitlines():
        if header := re.match(r"//-+ \.text\.(\S+)", line):
            current = kernels.setdefault(header.group(1), [])
        elif label := re.match(r"(\.L_x_\d+):", line):
            current.append(label.group(1))
        elif instruction := re.match(r"\s+/\*[0-9a-f]+\*/\s+(.*) ;", line):
            current.append(instruction.group(1))
    return kernels


def ptx_listings(text):
    kernels = {}
    for name, body in re.findall(r"\.entry (\w+)\(.*?\)\s*(?:\.\w+ [^\n]*\s*)*\{(.*?)\n\}", text, re.S):
        kernels[name] = [line.strip() for line in re.split(r"[;\n]", body) if line.strip()]
    return kernels


JUMP = re.compile(r"(?:\bBRA\b.*\(|\bbra(?:\.uni)?\s+)([.$\w]+)")
CONDITIONAL = re.compile(r"@|BRA(\.U)? +!?U?P\d|BRA\.DIV")


def jumps(code):
    """Of each conditional jump forward: its place and its target's. A jump around a whole loop is the loop's own."""
    labels = {line.rstrip(":"): place for place, line in enumerate(code)
              if re.fullmatch(r"\.L_x_\d+|[$\w]+:", line)}

    def target(line):
        found = JUMP.search(line)
        return labels.get(found.group(1)) if found else None

    for place, line in enumerate(code):
        end = target(line)
        if end is None or end <= place or not CONDITIONAL.match(line):
            continue
        backwards = (back for at in range(place + 1, end) if (back := target(code[at])) is not None and back <= at)
        if not any(back > place for back in backwards):
            yield place, end


def guarded(code):
    return [line for line in code if re.match(r"@!?U?P\d ", line) and not re.search(r"\b(BRA|EXIT|CALL|RET)\b", line)]


def outcome(case, sass, virtual):
    """virtual: the kernel's PTX where NVVM wrote it, else None."""
    if case.surroundings == AROUND_LOOP:
        # The loop's own jump, which skips it when there is no round, may do for the `if` too: one of both is left.
        return BRANCH
    others = 1 if case.surroundings == WITHIN else 0
    if len(list(jumps(sass))) > others:
        return BRANCH
    if case.surroundings == END:
        return PREDICATE
    if virtual is not None:
        return PREDICATE if len(list(jumps(virtual))) > others else SELECT
    return PREDICATE if guarded(sass) else SELECT


def compile_all(cases, nvcc="nvcc", heddle="heddle", flags=("-O3",)):
    """The outcome of each Case, in their order, with its listing."""
    results = [None] * len(cases)
    groups = {}
    for number, case in enumerate(cases):
        groups.setdefault((case.front, case.arch), []).append(number)
    with tempfile.TemporaryDirectory() as folder:
        for (front, arch), members in groups.items():
            for first in range(0, len(members), PER_FILE):
                chosen = members[first:first + PER_FILE]
                compiled = compile_some(folder, front, arch, [(f"k{n}", cases[n]) for n in chosen],
                                        nvcc, heddle, flags)
                for n in chosen:
                    results[n] = compiled[f"k{n}"]
    return results


def compile_some(folder, front, arch, named, nvcc, heddle, flags):
    virtual = pathlib.Path(folder) / "kernels.ptx"
    cubin = pathlib.Path(folder) / "kernels.cubin"
    if front == "cuda":
        source = pathlib.Path(folder) / "kernels.cu"
        source.write_text(CUDA_HEAD + "".join(cuda(*each) for each in named))
        subprocess.run([nvcc, *flags, "-w", f"-arch={arch}", "-ptx", "-o", virtual, source], check=True)
    else:
        virtual.write_text(ptx_head(arch) + "".join(ptx(*each) for each in named))
    ptxas = pathlib.Path(nvcc).with_name("ptxas") if "/" in nvcc else "ptxas"
    debug = ["-g"] if "-G" in flags else []
    subprocess.run([ptxas, "-w", *debug, f"-arch={arch}", "-o", cubin, virtual], check=True)
    sass = listings(heddle, str(cubin))
    texts = ptx_listings(virtual.read_text()) if front == "cuda" else {}
    return {name: (outcome(case, sass[name], texts.get(name)), sass[name], texts.get(name)) for name, case in named}
