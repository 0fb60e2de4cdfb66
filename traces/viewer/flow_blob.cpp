#include "traces/viewer/flow_blob.hpp"

#include <nettle/base64.h>
#include <zlib.h>

#include <new>

#include "traces/viewer/varint.hpp"

namespace heddle::traces {
namespace {

void put_dictionary(std::string& bytes, const Dictionary& dictionary) {
  put_varint(bytes, dictionary.size());
  bytes += dictionary.bytes();
}

}  // namespace

std::string flow_blob(const Recorder& recorder) {
  std::string bytes;
  put_varint(bytes, recorder.warps().size());
  for (const WarpTrace& warp : recorder.warps()) {
    put_varint(bytes, warp.block);
    put_varint(bytes, warp.warp);
    put_varint(bytes, warp.steps);
  }
  put_dictionary(bytes, recorder.masks());
  put_dictionary(bytes, recorder.situations());
  put_dictionary(bytes, recorder.touches());
  for (const WarpTrace& warp : recorder.warps()) bytes += warp.flow;
  return bytes;
}

std::string value_blob(std::span<const WarpTrace> warps) {
  std::string bytes;
  for (const WarpTrace& warp : warps) {
    put_varint(bytes, warp.values.size());
    bytes += warp.values;
  }
  return bytes;
}

std::string deflated(const std::string& bytes) {
  constexpr int kLevel = 6;
  uLongf size = compressBound(bytes.size());
  std::string result(size, '\0');
  // Fails only for want of memory: the buffer is as large as it can become.
  if (compress2(reinterpret_cast<Bytef*>(result.data()), &size,
                reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), kLevel) != Z_OK)
    throw std::bad_alloc();
  result.resize(size);
  return result;
}

std::string base64(const std::string& bytes) {
  std::string text(BASE64_ENCODE_RAW_LENGTH(bytes.size()), '\0');
  base64_encode_raw(text.data(), bytes.size(), reinterpret_cast<const std::uint8_t*>(bytes.data()));
  return text;
}

}  // namespace heddle::traces
