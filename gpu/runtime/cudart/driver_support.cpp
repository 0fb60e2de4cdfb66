#include "gpu/runtime/driver_support.hpp"

#include <unistd.h>

#include <cstring>

#include "gpu/runtime/cudart/copies.hpp"
#include "gpu/runtime/cudart/jit_request.hpp"
#include "gpu/runtime/cudart/refuse.hpp"
#include "gpu/runtime/library_support.hpp"
#include "gpu/runtime/link.hpp"

namespace heddle::runtime {

namespace {

Error fill_elements(void* to, std::size_t pitch, unsigned value, unsigned element_bytes,
                    std::size_t width, std::size_t height, abi::Handle stream, bool wait) {
  return api([&] {
    std::size_t row = 0;
    if (__builtin_mul_overflow(width, element_bytes, &row) || address_of(to) % element_bytes != 0 ||
        (height > 1 && (pitch % element_bytes != 0 || pitch < row)))
      return Error::invalid_value;
    const FillRequest request{{address_of(to), pitch}, {row, height}, value, element_bytes};
    return fill(request, stream, DefaultStream::legacy, wait);
  });
}

// Operations on memory are nodes of graphs too.
template <typename Body>
Error in_stream(abi::Handle stream, std::uint64_t address, unsigned bytes, Body body) {
  return on_stream(stream, DefaultStream::legacy, [&](Context& context, Stream& in) -> Error {
    if (address % bytes != 0 || !context.find_memory(address)) return Error::invalid_value;
    if (!in.capture) return body(context, in);
    in.add_to_capture(NodeType::memory_operations, body);
    return Error::success;
  });
}

Error write_value(abi::Handle stream, std::uint64_t address, std::uint64_t value, unsigned bytes) {
  return in_stream(stream, address, bytes, [=](Context& context, Stream& in) {
    return context.write_value(in, address, value, bytes);
  });
}

Error wait_value(abi::Handle stream, std::uint64_t address, std::uint64_t value, unsigned bytes,
                 unsigned how) {
  enum How : unsigned { kNotBelow = 0, kEqual = 1, kCommonBit = 2, kMissingBit = 3 };
  const std::uint64_t all = bytes == 4 ? 0xffff'ffff : ~std::uint64_t{0};
  const auto reached = [=](std::uint64_t found) {
    const std::uint64_t above = (found - value) & all;
    switch (how) {
      case kNotBelow:
        return above <= all / 2;
      case kEqual:
        return above == 0;
      case kCommonBit:
        return (found & value) != 0;
      default:
        return (~(found | value) & all) != 0;
    }
  };
  return in_stream(stream, address, bytes, [=](Context& context, Stream& in) {
    return context.wait_value(in, address, bytes, reached);
  });
}

Error refuse_in(abi::Handle stream) {
  return on_stream(stream, DefaultStream::legacy, [](Context&, Stream& in) {
    if (!in.capture) return Error::not_supported;
    in.capture->invalidated = true;
    return Error::stream_capture_unsupported;
  });
}

Error find_memory(std::uint64_t address, std::uint64_t* base, std::uint64_t* bytes) {
  return on_device([&](Context& context) {
    const auto block = context.find_memory(address);
    if (!block) return Error::invalid_value;
    *base = block->address;
    *bytes = block->bytes;
    return Error::success;
  });
}

Error reserve(std::uint64_t bytes, std::uint64_t alignment, std::uint64_t wanted,
              std::uint64_t* address) {
  return on_device(
      [&](Context& context) { return context.reserve(bytes, alignment, wanted, *address); });
}

Error put_pages(std::uint64_t address, int file, std::uint64_t bytes) {
  return on_device([&](Context& context) {
    return context.put_pages(address, file < 0 ? nullptr : SharedFile::adopt(dup(file)), bytes);
  });
}

ThreadContexts& contexts() { return Runtime::thread().contexts; }
CudaContext& primary(unsigned number) { return Runtime::instance().primary(number); }

Error context_of(abi::Handle stream, CudaContext** context) {
  return on_stream(stream, DefaultStream::legacy, [&](Context&, Stream& found) {
    *context = static_cast<CudaContext*>(found.made_in);
    return Error::success;
  });
}

Error context_of_memory(std::uint64_t address, CudaContext** made_in) {
  return on_device([&](Context& context) {
    const auto block = context.find_memory(address);
    if (!block) return Error::invalid_value;
    *made_in = static_cast<CudaContext*>(block->made_in);
    return Error::success;
  });
}

Error set_access(std::uint64_t address, unsigned number, bool allowed) {
  return on_device([&](Context& current) {
    return on_owner(current, reinterpret_cast<const void*>(address), [&](Context& context) {
      return context.gpu() == number ? Error::success
                                     : context.set_access(address, number, allowed);
    });
  });
}

std::uint64_t used_bytes(unsigned number) {
  Runtime* const runtime = Runtime::if_any();
  const auto context = runtime == nullptr ? nullptr : runtime->context_if_any(number);
  return context ? context->used_bytes() : 0;
}

Error library_of(abi::Handle kernel, abi::Handle* library) {
  return on_function(kernel, [&](Context&, Function&) {
    *library = Runtime::instance().library_of(kernel);
    return *library != nullptr ? Error::success : Error::invalid_resource_handle;
  });
}

Error link(const DriverSupport::Part* given, std::size_t count, const int* options, void** values,
           unsigned option_count, void* user, void (*give)(void*, const void*, std::size_t)) {
  return on_device([&](Context& context) -> Error {
    const JitRequest request(options, values, option_count);
    std::vector<LinkPart> parts;
    for (std::size_t i = 0; i < count; ++i) {
      const auto* const begin = static_cast<const std::byte*>(given[i].contents);
      parts.push_back({static_cast<PartKind>(given[i].kind), given[i].name,
                       std::vector(begin, begin + given[i].bytes)});
    }
    try {
      const std::vector<std::byte> code =
          link_parts(context.model().arch, parts, request.options());
      request.tell({}, {});
      give(user, code.data(), code.size());
      return Error::success;
    } catch (const PtxError& bad) {
      request.tell({}, bad.what());
      Runtime::instance().notice_once(bad.what());
      return bad.error;
    }
  });
}

}  // namespace

HEDDLE_API Error cudaGetExportTable(const void** table, const abi::Uuid* id) {
  static constexpr DriverSupport kTable{
      fill_elements, write_value, wait_value, refuse_in,         find_memory,
      reserve,       put_pages,   contexts,   primary,           &Runtime::is_initialised,
      set_access,    used_bytes,  context_of, context_of_memory, library_of,
      link};
  if (table == nullptr || id == nullptr) return Error::invalid_value;
  if (std::memcmp(id, &kDriverSupport, sizeof kDriverSupport) == 0)
    *table = &kTable;
  else if (std::memcmp(id, &kLibrarySupport, sizeof kLibrarySupport) == 0)
    *table = &library_support();
  else
    return refuse("cudaGetExportTable");
  return Error::success;
}

}  // namespace heddle::runtime
