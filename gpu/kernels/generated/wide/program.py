"""A whole program: its kernels, and a main that launches them and prints what they left."""
import random

from wide.kernel import WideKernel

KERNELS = 6
SIZES = {"unsigned char": 1, "short": 2, "unsigned": 4, "unsigned long long": 8, "int": 4, "float": 4, "double": 8,
         "long long": 8, "uchar4": 4, "short2": 4, "uint4": 16, "int2": 8, "ulonglong2": 16, "char3": 3, "uint3": 12,
         "ushort4": 8}


def globals_of(rng):
    return ["__constant__ unsigned constant_words[64];", "__constant__ float constant_floats[32];",
            "__device__ unsigned global_words[64];", "__device__ unsigned global_sums[8];",
            "__managed__ unsigned managed_words[64];", "",
            "template <typename Table>", "Table make_table(unsigned start) {", "  Table table;",
            "  for (unsigned i = 0; i < sizeof table.words / sizeof *table.words; ++i) table.words[i] = scramble(i + start);",
            "  return table;", "}", "",
            "void fill_constants(unsigned start) {", "  unsigned words[64];", "  float floats[32];",
            "  for (unsigned i = 0; i < 64; ++i) words[i] = scramble(i * 3 + start);",
            "  for (unsigned i = 0; i < 32; ++i) floats[i] = float(int(words[i]) >> 12) * 0.0625f;",
            "  CHECK(cudaMemcpyToSymbol(constant_words, words, sizeof words));",
            "  CHECK(cudaMemcpyToSymbol(constant_floats, floats, sizeof floats));",
            "  CHECK(cudaMemcpyToSymbol(global_words, words, sizeof words));", "}"]


def launch(rng, kernel, parameters):
    """The lines of main that launch a kernel, and those that print afterwards what it left."""
    before, after = [], []
    before.append(f"  DeviceArray<unsigned> {kernel.name}_out({kernel.total});")
    after.append(f"  printf(\"{kernel.name} %08x\\n\", digest({kernel.name}_out));")
    for name, element, count, _, offset in kernel.areas:
        size = SIZES[element] * (kernel.total * count + offset)
        before.append(f"  DeviceArray<unsigned char> {kernel.name}_{name}({size});")
        after.append(f"  printf(\"{kernel.name} {name} %08x\\n\", digest({kernel.name}_{name}));")
    if rng.random() < 0.3:
        before += ["  CHECK(cudaDeviceSynchronize());", f"  fill_constants({rng.randint(1, 9999)}u);"]
    shared = kernel.dynamic * 4
    if shared > 49152:
        before.append(f"  CHECK(cudaFuncSetAttribute({kernel.name}, cudaFuncAttributeMaxDynamicSharedMemorySize, {shared}));")
    stream = rng.choice(["0", "0", "streams[0]", "streams[1]"])
    grid, block = (f"dim3({', '.join(map(str, x))})" for x in (kernel.grid, kernel.block))
    arguments = ", ".join(kernel.argument(p) for p in parameters)
    before.append(f"  {kernel.name}<<<{grid}, {block}, {shared}, {stream}>>>({arguments});")
    return before + ["  CHECK(cudaGetLastError());"], after


def program(seed):
    rng = random.Random(f"wide {seed}")
    kernels = [WideKernel(rng, f"kernel_{i}") for i in range(KERNELS)]
    texts, parameters = [], []
    for kernel in kernels:
        drawn = kernel.parameters()
        kernel.parameters = lambda drawn=drawn: drawn
        parameters.append(drawn)
        texts.append("\n".join(kernel.text()))
    everything = "\n\n".join(texts)
    half = any("half" in kernel.groups for kernel in kernels)
    bfloat = any("bfloat" in kernel.groups for kernel in kernels)
    head = ["// Made by generate_wide.py." + (" approximate" if any("fast" in kernel.groups for kernel in kernels) else "")]
    head += ["#include <cooperative_groups.h>", "#include <cooperative_groups/reduce.h>",
             "#include <cooperative_groups/scan.h>"] if "cg::" in everything else []
    head += ["#include <cuda_fp16.h>"] if half else []
    head += ["#include <cuda_bf16.h>"] if bfloat else []
    head += ["", '#include "../common/generated.h"', '#include "../common/ptx.h"', ""]
    head += ["namespace cg = cooperative_groups;"] if "cg::" in everything else []
    for size in sorted({kernel.table for kernel in kernels} - {0}):
        head.append(f"struct Table_{size} {{ unsigned words[{size}]; }};")
    main = ["int main() {", "  CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 16384));  // functions that call themselves, with -G",
            "  std::vector<unsigned> input(256);",
            f"  for (unsigned i = 0; i < 256; ++i) input[i] = scramble(i + {seed % 1000003}u);",
            "  DeviceArray<unsigned> data(input), sums(32);", "  DeviceArray<unsigned long long> sums64(8);",
            "  for (unsigned i = 0; i < 64; ++i) managed_words[i] = scramble(i + 5u);", "  fill_constants(1);",
            "  cudaStream_t streams[2];", "  for (auto& stream : streams) CHECK(cudaStreamCreate(&stream));"]
    after = []
    for kernel, drawn in zip(kernels, parameters):
        lines, prints = launch(rng, kernel, drawn)
        main += lines
        after += prints
    main += ["  CHECK(cudaDeviceSynchronize());", *after, "  printf(\"sums %08x %08x\\n\", digest(sums), digest(sums64));",
             "  unsigned totals[8];", "  CHECK(cudaMemcpyFromSymbol(totals, global_sums, sizeof totals));",
             "  printf(\"global sums %08x\\n\", digest(totals, sizeof totals));",
             "  for (auto& stream : streams) CHECK(cudaStreamDestroy(stream));", "  return 0;", "}"]
    return "\n".join(head + globals_of(rng)) + "\n\n" + everything + "\n\n" + "\n".join(main) + "\n"
