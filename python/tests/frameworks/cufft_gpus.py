"""Plans of cuFFT for two GPUs, beside NumPy: by descriptors of the library's, and by CuPy. Needs --gpus 2."""

import ctypes

import cupy
import numpy as np

FFT = ctypes.CDLL("libcufft.so.12")
FORWARD, INVERSE = -1, 1
TO_DEVICE, TO_HOST, BETWEEN_DEVICES = range(3)
INPLACE = 2
GPUS = (ctypes.c_int * 2)(0, 1)
RANDOM = np.random.default_rng(11)


class Parts(ctypes.Structure):
    _fields_ = [("version", ctypes.c_int), ("count", ctypes.c_int), ("gpus", ctypes.c_int * 64),
                ("data", ctypes.c_void_p * 64), ("bytes", ctypes.c_size_t * 64), ("state", ctypes.c_void_p)]


class Descriptor(ctypes.Structure):
    _fields_ = [("version", ctypes.c_int), ("parts", ctypes.POINTER(Parts)), ("library", ctypes.c_int),
                ("format", ctypes.c_int), ("plan", ctypes.c_void_p)]


def call(name, *arguments):
    status = getattr(FFT, name)(*arguments)
    assert status == 0, f"{name}: status {status}"


def address(values):
    return values.ctypes.data_as(ctypes.c_void_p)


def part_of(descriptor, gpu, shape, dtype):
    """What lies on a GPU, from the beginning of its part."""
    with cupy.cuda.Device(gpu):
        values = cupy.empty(shape, dtype)
        cupy.cuda.runtime.memcpy(values.data.ptr, descriptor.contents.parts.contents.data[gpu], values.nbytes, 3)
        return values.get()


def transform(kind, shape, batch):
    """Forward, what each GPU then has, to the host, on by another descriptor, and back."""
    dtype, code, bound = {"c": (np.complex64, 0x29, 1e-5), "z": (np.complex128, 0x69, 1e-13)}[kind]
    execute = f"cufftXtExecDescriptor{kind.upper()}2{kind.upper()}"
    values = RANDOM.random((batch, *shape)) + 1j * RANDOM.random((batch, *shape))
    values = values.astype(dtype)
    wanted = np.fft.fftn(values, axes=range(1, len(shape) + 1))
    plan, bytes = ctypes.c_int(), (ctypes.c_size_t * 2)()
    call("cufftCreate", ctypes.byref(plan))
    call("cufftXtSetGPUs", plan, 2, GPUS)
    call("cufftMakePlanMany", plan, len(shape), (ctypes.c_int * 3)(*shape), None, 1, 0, None, 1, 0, code, batch, bytes)
    first, second = (ctypes.POINTER(Descriptor)() for _ in range(2))
    for each in (first, second):
        call("cufftXtMalloc", plan, ctypes.byref(each), INPLACE)
    call("cufftXtMemcpy", plan, first, address(values), TO_DEVICE)
    call(execute, plan, first, first, FORWARD)
    if len(shape) > 1 and batch == 1:  # divided by the second dimension
        half = (shape[1] + 1) // 2
        for gpu, columns in enumerate((wanted[0][:, :half], wanted[0][:, half:])):
            found = part_of(first, gpu, columns.shape, dtype)
            assert np.abs(found - columns).max() <= bound * np.abs(wanted).max()
    found = np.zeros_like(values)
    call("cufftXtMemcpy", plan, address(found), first, TO_HOST)
    assert np.abs(found - wanted).max() <= bound * np.abs(wanted).max()
    call("cufftXtMemcpy", plan, second, first, BETWEEN_DEVICES)
    call("cufftXtMemcpy", plan, address(found), second, TO_HOST)
    assert np.abs(found - wanted).max() <= bound * np.abs(wanted).max()
    call(execute, plan, first, first, INVERSE)
    call("cufftXtMemcpy", plan, address(found), first, TO_HOST)
    assert np.abs(found / np.prod(shape) - values).max() <= bound
    for each in (first, second):
        call("cufftXtFree", each)
    call("cufftDestroy", plan)


def wrong_gpus():
    plan = ctypes.c_int()
    call("cufftCreate", ctypes.byref(plan))
    assert FFT.cufftXtSetGPUs(plan, 2, (ctypes.c_int * 2)(0, 7)) == 11  # CUFFT_INVALID_DEVICE
    call("cufftDestroy", plan)


def by_cupy():
    cupy.fft.config.use_multi_gpus = True
    cupy.fft.config.set_cufft_gpus([0, 1])
    for shape in ((64,), (4, 64)):
        values = RANDOM.random(shape) + 1j * RANDOM.random(shape)
        for dtype, bound in ((np.complex64, 1e-5), (np.complex128, 1e-13)):
            host = values.astype(dtype)
            found = cupy.fft.fft(cupy.asarray(host)).get()
            wanted = np.fft.fft(host)
            assert np.abs(found - wanted).max() <= bound * np.abs(wanted).max(), (shape, dtype)
            back = cupy.fft.ifft(cupy.asarray(found)).get()
            assert np.abs(back - host).max() <= bound, (shape, dtype)


for letter in "cz":
    for sizes, times in (((30,), 1), ((30,), 3), ((6, 7), 1), ((7, 4), 2), ((5, 7, 6), 1)):
        transform(letter, sizes, times)
print("right: descriptors")
wrong_gpus()
by_cupy()
print("right: cupy.fft")
