#!/usr/bin/env python3
"""generate_wide.py SEED COUNT DIR: COUNT CUDA programs nobody wrote, of all that CUDA C++ has.

Where generate.py varies how lanes diverge, these vary the rest: types and their conversions, intrinsics and the math
library, kinds of memory and ways to address it, warp functions and groups, atomics, barriers, calls, launches. Which
parts a kernel has is drawn at random. By construction there is no race and no undefined behaviour, and what a program
prints (digests of everything its kernels wrote) is the same on all architectures and at all levels of optimisation,
built with -fmad=false; programs that say "approximate" in their first line also need the same instructions for that.
The same arguments give the same programs. DIR/NAME/NAME.cu and DIR/generated.toml (a suite) are written; the programs
include files of gpu/kernels/common, which DIR needs a copy of.
"""
from generate import write_suite
from wide.program import program

if __name__ == "__main__":
    write_suite("wide", program, __doc__)
