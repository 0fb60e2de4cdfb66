"""A test session that calls CUDA itself."""
import ctypes


def test_twice():
    library = ctypes.CDLL("./libkernel_module.so")
    values = (ctypes.c_int * 64)(*range(64))
    assert library.twice_of(values) == 0
