#include "gpu/cupti/snapshot.hpp"

#include "gpu/cupti/check.hpp"

namespace heddle::cupti {

void Snapshot::take(const DeviceMemory& memory) {
  parts_.clear();
  std::size_t room = 0;
  const auto add = [&](CUdeviceptr address, std::size_t bytes) {
    parts_.push_back({address, room, bytes});
    room += (bytes + 255) / 256 * 256;
  };
  for (const Allocation& allocation : memory.allocations.changeable())
    add(allocation.base, allocation.bytes);
  for (const Global& global : memory.globals) add(global.address, global.bytes);
  if (room > room_) {
    if (buffer_ != 0) HEDDLE_CALL(cuMemFree(buffer_));
    buffer_ = 0, room_ = 0;
    HEDDLE_CALL(cuMemAlloc(&buffer_, room));
    room_ = room;
  }
  for (Part& part : parts_) {
    part.copy += buffer_;
    HEDDLE_CALL(cuMemcpyDtoD(part.copy, part.address, part.bytes));
  }
  HEDDLE_CALL(cuCtxSynchronize());
}

void Snapshot::restore() const {
  for (const Part& part : parts_) HEDDLE_CALL(cuMemcpyDtoD(part.address, part.copy, part.bytes));
  HEDDLE_CALL(cuCtxSynchronize());
}

}  // namespace heddle::cupti
