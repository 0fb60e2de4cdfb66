// Empties the L2 and the instruction caches before a measured launch (the L1 caches are empty at
// the start of every kernel).
#pragma once

#include <cuda.h>

#include <cstddef>

namespace heddle::cupti {

class CacheFlusher {
 public:
  CacheFlusher() = default;
  CacheFlusher(const CacheFlusher&) = delete;
  CacheFlusher& operator=(const CacheFlusher&) = delete;
  ~CacheFlusher() = default;  // the context frees what it held

  // In the current context, synchronously. The L2: reads a buffer of four times its size; reading
  // leaves clean lines behind, so the measured kernel does not pay for writing them back. The
  // instruction caches: the driver empties them when it loads a module, so the reader is loaded
  // anew (measured: a kernel of 110 warp instructions, run before, asks the L2 for 273 sectors
  // without the loading, for 1,133 with it and when new).
  void flush();
  // Forgets what belonged to a context that ends.
  void forget();

 private:
  void allocate();
  void load_reader();

  CUmodule module_ = nullptr;
  CUfunction reader_ = nullptr;
  CUdeviceptr buffer_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace heddle::cupti
