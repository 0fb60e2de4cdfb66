// Stands for one of NVIDIA's libraries of kernels: a name that a program calls.
extern "C" int cudnnCreate(void** handle) { return handle == nullptr ? 1 : 0; }
