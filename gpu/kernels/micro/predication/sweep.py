#!/usr/bin/env python3
"""What nvcc -O3 makes of a branch over a few operations.

  sweep.py NVCC HEDDLE [--arch sm_90] [--most 14]

Writes kernels whose branch has 1, 2, … operations of a kind behind it, compiles them with NVCC, lists
the code with `HEDDLE disasm`, and prints a row per kind, surroundings and condition: for each length
`b` and the instructions the branch jumps over, or `p` and the instructions under a predicate (p0: none,
but a select).
"""
import argparse
import itertools
import pathlib
import re
import subprocess
import tempfile

# Operation i of a kind; each but the stores needs the one before.
KINDS = {
    "multiply-add": lambda i: f"x = x * y + {i + 1}.5f;",
    "mixed": lambda i: [f"v = v * m + {i};", f"x = x * y + {i}.5f;", f"out[t + {32 * (i + 1)}] = v;",
                        f"v ^= {i * 7 + 3} + w;"][i % 4],
    "store": lambda i: f"out[t + {32 * (i + 1)}] = v;",
    "sine": lambda i: "x = __sinf(x) + y;",
    "shared load": lambda i: f"v += tile[t + {32 * (i + 1)}];",
    "shared update": lambda i: f"tile[t + {32 * i}] += tile[t + {32 * (i + 1)}];",
    "load": lambda i: f"v += in[t + {32 * (i + 1)}];",
    "update": lambda i: f"out[t + {32 * i}] += in[t + {32 * (i + 1)}];",
    "atomic": lambda i: f"atomicAdd(out + {i}, v);",
}
SURROUNDINGS = ("alone", "else", "barrier", "barrier loop")
CONDITIONS = {"lane": ("(t & 3) == 1", "t < s"), "uniform": ("n > 5", "n < s")}


def kernel(name, kind, surroundings, condition, length):
    body = " ".join(KINDS[kind](i) for i in range(length))
    other = " ".join(KINDS["mixed" if kind == "multiply-add" else "multiply-add"](i + 37)
                     for i in range(length))
    test = CONDITIONS[condition][surroundings == "barrier loop"]
    code = f"if ({test}) {{ {body} }}"
    if surroundings == "else":
        code += f" else {{ {other} }}"
    elif surroundings == "barrier":
        code += " __syncthreads();"
    elif surroundings == "barrier loop":
        code = f"for (int s = m; s > 0; s >>= 1) {{ {code} __syncthreads(); }}"
    return (f'extern "C" __global__ void {name}(int *out, int *in, float *fout, int n, int m, int w, '
            f"float y) {{\n  __shared__ int tile[4096];\n  int t = threadIdx.x;\n  tile[t] = in[t];\n"
            f"  __syncthreads();\n  int v = t * m;\n  float x = y * 3.0f;\n  {code}\n"
            f"  out[t] = v + tile[t ^ 1];\n  fout[t] = x;\n}}\n")


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


def is_label(line):
    return line.startswith(".L_x")


def target(line, code):
    """The place of a branch's label; None where the line is no branch within the kernel."""
    found = re.search(r"\bBRA\b.*\((\.L_x_\d+)\)", line)
    return code.index(found.group(1)) if found and found.group(1) in code else None


def outcome(code):
    for place, line in enumerate(code):
        end = target(line, code)
        conditional = line.startswith("@") or re.match(r"BRA(\.U)? +!?U?P\d", line)
        if end is None or not conditional or end <= place:
            continue
        inside = code[place + 1:end]
        # A branch around a whole loop is the loop's own.
        if any((back := target(each, code)) is not None and back <= place + i + 1
               for i, each in enumerate(inside)):
            continue
        return f"b{sum(not is_label(each) for each in inside)}"
    guarded = sum(bool(re.match(r"@!?U?P\d ", line)) and "BRA" not in line and "EXIT" not in line
                  for line in code)
    return f"p{guarded}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("nvcc")
    parser.add_argument("heddle")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--most", type=int, default=14)
    arguments = parser.parse_args()
    rows = list(itertools.product(KINDS, SURROUNDINGS, CONDITIONS))
    cases = [(*row, length) for row in rows for length in range(1, arguments.most + 1)]
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "kernels.cu"
        source.write_text("".join(kernel(f"k{i}", *case) for i, case in enumerate(cases)))
        cubin = str(pathlib.Path(folder) / "kernels.cubin")
        subprocess.run([arguments.nvcc, "-O3", "-w", f"-arch={arguments.arch}", "-cubin", "-o", cubin,
                        str(source)], check=True)
        found = listings(arguments.heddle, cubin)
    print("| kind | surroundings | condition | 1, 2, … operations |\n|---|---|---|---|")
    for number, row in enumerate(rows):
        first = number * arguments.most
        outcomes = [outcome(found[f"k{first + i}"]) for i in range(arguments.most)]
        print(f"| {' | '.join(row)} | {' '.join(outcomes)} |")


if __name__ == "__main__":
    main()
