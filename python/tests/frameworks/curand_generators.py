"""cuRAND's host interface: what its generators give, beside what NVIDIA's library gave.

    python curand_generators.py                   on the device, and by generators of the host
    python curand_generators.py record LIBRARY    prints curand_answers.json, by generators of the host

Integers, uniform and Poisson numbers are the same bit by bit. Normal numbers differ by what functions of
different libraries differ: 1e-5 in single precision, 1e-12 in double.
"""

import ctypes
import hashlib
import json
import pathlib
import sys

import numpy as np

KINDS = {"xorwow": 101, "mrg32k3a": 121, "philox": 161, "mt19937": 142, "mtgp32": 141, "sobol32": 201, "sobol64": 203,
         "scrambled_sobol32": 202, "scrambled_sobol64": 204}
LEGACY = 103
RESULTS = {"": np.uint32, "LongLong": np.uint64, "Uniform": np.float32, "UniformDouble": np.float64,
           "Normal": np.float32, "NormalDouble": np.float64, "LogNormal": np.float32,
           "LogNormalDouble": np.float64, "Poisson": np.uint32}
ARGUMENTS = {"Normal": (1, 3), "NormalDouble": (1, 3), "LogNormal": (0, 0.5), "LogNormalDouble": (0, 0.5)}
BOUNDS = {np.float32: 1e-5, np.float64: 1e-12}


def cases():
    """Kind, function, calls, settings."""
    for kind in ("xorwow", "mrg32k3a", "philox"):
        for function in RESULTS:
            if function not in ("LongLong", "Poisson"):
                yield kind, function, (1000, 30, 200000), {}
        yield kind, "", (5000,), {"seed": 0x123456789abcdef}
        yield kind, "", (5000,), {"seed": 77, "offset": 123456789012}
        yield kind, "Uniform", (100000,), {"order": LEGACY}
        for mean in (0.3, 9.5, 500.0, 1999.0, 2000.0, 1e5):
            yield kind, "Poisson", (3000, 500), {"arguments": (mean,)}
    yield "xorwow", "Poisson", (9000, 4000), {"arguments": (2500.0,)}  # threads keep the second of two
    for kind in ("sobol32", "sobol64"):
        for function in ("LongLong" if kind == "sobol64" else "", *list(RESULTS)[2:-1]):
            yield kind, function, (3000, 300), {"dimensions": 300}
        yield kind, "Uniform", (900,), {"dimensions": 3, "offset": 1234}
        for mean in (0.3, 9.5, 12.0, 1999.0, 2500.0, 1e5):
            yield kind, "Poisson", (3000,), {"arguments": (mean,)}
    for kind in ("mt19937", "mtgp32"):
        yield kind, "", (1000, 30, 9000 if kind == "mt19937" else 200000), {"seed": 0x123456789abcdef}
        for function in RESULTS:
            if function not in ("", "LongLong", "Poisson"):
                yield kind, function, (1000, 30), {}
        yield kind, "", (30000 if kind == "mtgp32" else 3000,), {"order": LEGACY}
        for mean in (0.3, 31.9, 32.0, 1999.0, 2500.0, 8000.0, 1e5):
            yield kind, "Poisson", (3000, 500), {"arguments": (mean,)}


class Library:
    """`allocate` gives memory of `dtype`, its address, and how NumPy gets it."""

    def __init__(self, path, create, allocate):
        self.library, self.create, self.allocate = ctypes.CDLL(path), create, allocate

    def call(self, name, *arguments):
        status = getattr(self.library, "curand" + name)(*arguments)
        assert status == 0, f"curand{name}: {status}"

    def generate(self, kind, function, calls, seed=None, offset=None, order=None, dimensions=None, arguments=()):
        generator, dtype, result = ctypes.c_void_p(), RESULTS[function], []
        self.call(self.create, ctypes.byref(generator), KINDS[kind])
        if seed is not None:
            self.call("SetPseudoRandomGeneratorSeed", generator, ctypes.c_ulonglong(seed))
        if offset is not None:
            self.call("SetGeneratorOffset", generator, ctypes.c_ulonglong(offset))
        if order is not None:
            self.call("SetGeneratorOrdering", generator, order)
        if dimensions is not None:
            self.call("SetQuasiRandomGeneratorDimensions", generator, dimensions)
        scalar = ctypes.c_float if dtype == np.float32 else ctypes.c_double
        for count in calls:
            address, fetch = self.allocate(count, dtype)
            self.call("Generate" + function, generator, ctypes.c_void_p(address), ctypes.c_size_t(count),
                      *map(scalar, arguments or ARGUMENTS.get(function, ())))
            result.append(fetch())
        self.call("DestroyGenerator", generator)
        return np.concatenate(result)


def in_host_memory(count, dtype):
    values = np.zeros(count, dtype)
    return values.ctypes.data, lambda: values


def in_device_memory(count, dtype):
    import cupy
    values = cupy.zeros(count, dtype)
    return values.data.ptr, lambda: cupy.asnumpy(values)


def answer(values, function):
    if "ormal" not in function:
        return hashlib.sha256(values.tobytes()).hexdigest()
    places = np.linspace(0, len(values) - 1, 12).astype(int)
    return [float(each) for each in values[places]] + [float(np.mean(values, dtype=np.float64))]


def same(found, wanted, function):
    if "ormal" not in function:
        return found == wanted
    bound = BOUNDS[RESULTS[function]]
    return np.allclose(found, wanted, rtol=bound, atol=bound)


def compare(library, answers):
    """How many sequences are the same. MTGP32's parameters come with cuRAND's headers, which may be missing."""
    has_mtgp32 = getattr(library.library, "curand" + library.create)(ctypes.byref(ctypes.c_void_p()),
                                                                     KINDS["mtgp32"]) == 0
    compared = 0
    for case, wanted in zip(cases(), answers, strict=True):
        kind, function, calls, settings = case
        if kind == "mtgp32" and not has_mtgp32:
            continue
        compared += 1
        found = answer(library.generate(kind, function, calls, **settings), function)
        # NVIDIA's library computes MTGP32's normal numbers in single precision.
        precision = "Normal" if (kind, function) == ("mtgp32", "NormalDouble") else function
        assert same(found, wanted, precision), (case, found, wanted)
    return compared


def moments(library):
    """Beside NVIDIA's numbers: what the distribution and the published generator say."""
    values = library.generate("mt19937", "", (8,), seed=5)
    original = np.random.RandomState(5).randint(0, 2**32, 624, np.uint32)
    assert (values == original[[0, 113, 170, 283, 340, 397, 510, 567]]).all()
    for kind in ("xorwow", "mrg32k3a", "philox", "mt19937", "sobol32", "sobol64"):
        for mean in (0.5, 10, 700, 1e5):
            values = library.generate(kind, "Poisson", (20000,), arguments=(mean,)).astype(float)
            assert abs(values.mean() - mean) < 5 * (mean / 20000)**0.5, (kind, mean, values.mean())
            assert abs(values.var() / mean - 1) < 0.1, (kind, mean, values.var())


# SHA-256 of what NVIDIA's library has for as many dimensions as are known here.
DIRECTIONS = {32: "a6ce1e31921b4cb51c06f9126aec9f0a4c4a312e16eb78c5aeebd488622103d1",
              64: "fb2a372b12c7f855c758b439a7a32f379718bf8793109a3584c804b389198b31"}
DIMENSIONS = 3667


def table(library, name, bits, columns, *arguments):
    address, dtype = ctypes.c_void_p(), np.dtype(f"u{bits // 8}")
    library.call(f"{name}{bits}", ctypes.byref(address), *arguments)
    size = DIMENSIONS * columns * dtype.itemsize
    return np.frombuffer((ctypes.c_char * size).from_address(address.value), dtype).reshape(DIMENSIONS, columns)


def directions(library):
    """The tables for device functions, and generators of scrambled points, which are made of them."""
    for bits, plain in ((32, 101), (64, 103)):
        found = table(library, "GetDirectionVectors", bits, bits, plain)
        assert hashlib.sha256(found.tobytes()).hexdigest() == DIRECTIONS[bits]
        scrambled = table(library, "GetDirectionVectors", bits, bits, plain + 1)
        constants = table(library, "GetScrambleConstants", bits, 1)
        assert len(set(constants.ravel())) > DIMENSIONS - 10 and (scrambled != found).any(axis=1).all()
        kind, function, dimensions, count = f"scrambled_sobol{bits}", "LongLong" if bits == 64 else "", 50, 1024
        points = library.generate(kind, function, (count * dimensions,), dimensions=dimensions)
        points = points.reshape(dimensions, count)
        assert (points[:, 0] == constants[:dimensions, 0]).all()
        assert (points[:, 3] == points[:, 0] ^ scrambled[:dimensions, 1]).all()  # 3's Gray code is 2
        # Of each dimension, every part of a thousandth has one point, and together they are no copies.
        assert (np.sort(points >> (bits - 10)) == np.arange(count)).all()
        assert len(np.unique(points, axis=0)) == dimensions
        later = library.generate(kind, function, (24 * dimensions,), dimensions=dimensions, offset=1000)
        assert (later.reshape(dimensions, 24) == points[:, 1000:]).all()
        uniform = library.generate(kind, "UniformDouble", (count,))
        assert abs(uniform.mean() - 0.5) < 1e-3 and 0 < uniform.min() and uniform.max() <= 1


def main():
    if sys.argv[1:2] == ["record"]:
        library = Library(sys.argv[2], "CreateGeneratorHost", in_host_memory)
        answers = [answer(library.generate(kind, function, calls, **settings), function)
                   for kind, function, calls, settings in cases()]
        print(json.dumps(answers, indent=0))
        return
    answers = json.loads(pathlib.Path(__file__).with_name("curand_answers.json").read_text())
    for create, allocate in (("CreateGenerator", in_device_memory), ("CreateGeneratorHost", in_host_memory)):
        library = Library("libcurand.so.10", create, allocate)
        compared = compare(library, answers)
        moments(library)
        directions(library)
        print("right:", compared, "sequences by", create)


if __name__ == "__main__":
    main()
