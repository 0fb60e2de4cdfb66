// Stands for what nvcc makes: the section of its fat binary, and a call of the runtime, which is
// defined here with the texts that every copy has (as when the runtime is linked in) or in a
// library; or no call.
__attribute__((section(".nv_fatbin"), used)) static const char fat_binary[16] = "P\355U\272";

#ifdef OWN_RUNTIME
__attribute__((used)) static const char runtime_texts[] = "cudaErrorCudartUnloading\0libcuda.so.1";
#endif

extern "C" {
#ifdef CALLS_CUDNN
int cudnnCreate(void** handle);
#endif
#ifdef OWN_RUNTIME
__attribute__((visibility("hidden"), noinline)) void** __cudaRegisterFatBinary(void* wrapper) {
  return static_cast<void**>(wrapper);
}
#elif defined NO_RUNTIME
static void** __cudaRegisterFatBinary(void* wrapper) { return static_cast<void**>(wrapper); }
#else
void** __cudaRegisterFatBinary(void* wrapper);
#endif
}

int main() {
#ifdef CALLS_CUDNN
  void* handle = nullptr;
  if (cudnnCreate(&handle) != 0) return 2;
#endif
  return __cudaRegisterFatBinary(const_cast<char*>(fat_binary)) == nullptr ? 1 : 0;
}
