// Stands for one of NVIDIA's libraries of kernels: a name that a program calls.
extern "C" int cublasCreate_v2(void** handle) { return handle == nullptr ? 1 : 0; }
