// How programs make the objects of cuBLASLt and set what they hold.
#include <cstddef>
#include <span>

#include "gpu/runtime/libraries/cublaslt/types.hpp"

namespace heddle::runtime::libraries::cublaslt {
namespace {

// Where an attribute lies in its object.
struct Attribute {
  int number;
  std::size_t offset, bytes;
};
#define ATTRIBUTE(number, Object, member) \
  { number, offsetof(Object, member), sizeof(Object::member) }

template <typename Object>
constexpr std::span<const Attribute> kAttributes;

constexpr Attribute kOfLayout[] = {
    ATTRIBUTE(0, Layout, type),       ATTRIBUTE(1, Layout, order),
    ATTRIBUTE(2, Layout, rows),       ATTRIBUTE(3, Layout, columns),
    ATTRIBUTE(4, Layout, leading),    ATTRIBUTE(5, Layout, batch),
    ATTRIBUTE(6, Layout, step),       ATTRIBUTE(7, Layout, plane_offset),
    ATTRIBUTE(8, Layout, batch_mode),
};
template <>
constexpr std::span<const Attribute> kAttributes<Layout> = kOfLayout;

constexpr Attribute kOfDescription[] = {
    ATTRIBUTE(0, Description, compute),
    ATTRIBUTE(1, Description, scale),
    ATTRIBUTE(2, Description, pointers),
    ATTRIBUTE(3, Description, op_a),
    ATTRIBUTE(4, Description, op_b),
    ATTRIBUTE(5, Description, op_c),
    ATTRIBUTE(6, Description, fill),
    ATTRIBUTE(7, Description, epilogue),
    ATTRIBUTE(8, Description, bias),
    ATTRIBUTE(10, Description, bias_step),
    ATTRIBUTE(11, Description, auxiliary),
    ATTRIBUTE(12, Description, auxiliary_leading),
    ATTRIBUTE(13, Description, auxiliary_step),
    ATTRIBUTE(14, Description, alpha_step),
    ATTRIBUTE(15, Description, multiprocessors),
    ATTRIBUTE(17, Description, scales[0]),
    ATTRIBUTE(18, Description, scales[1]),
    ATTRIBUTE(19, Description, scales[2]),
    ATTRIBUTE(20, Description, scales[3]),
    ATTRIBUTE(21, Description, scales[5]),
    ATTRIBUTE(22, Description, auxiliary_type),
    ATTRIBUTE(23, Description, scales[4]),
    ATTRIBUTE(24, Description, scales[6]),
    ATTRIBUTE(25, Description, fast_sums),
    ATTRIBUTE(26, Description, bias_type),
};
template <>
constexpr std::span<const Attribute> kAttributes<Description> = kOfDescription;

constexpr Attribute kOfPreference[] = {
    ATTRIBUTE(0, Preference, search_mode),      ATTRIBUTE(1, Preference, workspace),
    ATTRIBUTE(3, Preference, reductions),       ATTRIBUTE(5, Preference, alignment[0]),
    ATTRIBUTE(6, Preference, alignment[1]),     ATTRIBUTE(7, Preference, alignment[2]),
    ATTRIBUTE(8, Preference, alignment[3]),     ATTRIBUTE(9, Preference, waves),
    ATTRIBUTE(12, Preference, implementations),
};
template <>
constexpr std::span<const Attribute> kAttributes<Preference> = kOfPreference;

constexpr Attribute kOfTransform[] = {
    ATTRIBUTE(0, Transform, scale),
    ATTRIBUTE(1, Transform, pointers),
    ATTRIBUTE(2, Transform, op_a),
    ATTRIBUTE(3, Transform, op_b),
};
template <>
constexpr std::span<const Attribute> kAttributes<Transform> = kOfTransform;

constexpr Attribute kOfAlgorithm[] = {
    ATTRIBUTE(0, Algorithm, settings[0]), ATTRIBUTE(1, Algorithm, settings[1]),
    ATTRIBUTE(2, Algorithm, settings[2]), ATTRIBUTE(3, Algorithm, settings[3]),
    ATTRIBUTE(4, Algorithm, settings[4]), ATTRIBUTE(5, Algorithm, settings[5]),
    ATTRIBUTE(6, Algorithm, settings[6]), ATTRIBUTE(7, Algorithm, settings[7]),
    ATTRIBUTE(8, Algorithm, settings[8]),
};
template <>
constexpr std::span<const Attribute> kAttributes<Algorithm> = kOfAlgorithm;

template <typename Object>
const Attribute& attribute(int number) {
  for (const Attribute& each : kAttributes<Object>)
    if (each.number == number) return each;
  throw Missing("its attribute " + std::to_string(number) + " is not supported");
}

template <typename Object>
Status set(Object* object, int number, const void* value, std::size_t bytes) {
  demand(object != nullptr && value != nullptr);
  const Attribute& place = attribute<Object>(number);
  demand(bytes == place.bytes);
  std::memcpy(reinterpret_cast<std::byte*>(object) + place.offset, value, bytes);
  return Status::success;
}

template <typename Object>
Status get(const Object* object, int number, void* value, std::size_t bytes, std::size_t* written) {
  demand(object != nullptr);
  const Attribute& place = attribute<Object>(number);
  demand(written != nullptr || bytes != 0);
  if (written != nullptr) *written = place.bytes;
  if (bytes == 0) return Status::success;  // it asks for the size
  demand(value != nullptr && bytes >= place.bytes);
  std::memcpy(value, reinterpret_cast<const std::byte*>(object) + place.offset, place.bytes);
  return Status::success;
}

// Each object as it is before attributes are set.
Layout made_layout(DataType type, std::uint64_t rows, std::uint64_t columns, std::int64_t leading) {
  Layout layout{};
  layout.type = type;
  layout.rows = rows;
  layout.columns = columns;
  layout.leading = leading;
  layout.batch = 1;
  return layout;
}
Description made_description(Compute compute, DataType scale) {
  Description description{};
  description.compute = compute;
  description.scale = scale;
  description.fill = 2;  // full
  description.epilogue = kPlain;
  description.auxiliary_type = description.bias_type = kAsResult;
  return description;
}
Preference made_preference() {
  Preference preference{};
  preference.reductions = 7;
  for (std::uint32_t& bytes : preference.alignment) bytes = 256;
  preference.implementations = ~std::uint64_t{};
  return preference;
}
Transform made_transform(DataType scale) {
  Transform transform{};
  transform.scale = scale;
  return transform;
}

template <auto kMake>
struct Maker;
template <typename Object, typename... Arguments, Object (*kMake)(Arguments...)>
struct Maker<kMake> {
  static Status create(Object** object, Arguments... arguments) {
    demand(object != nullptr);
    *object = new Object(kMake(arguments...));
    return Status::success;
  }
  static Status fill(Object* object, std::size_t bytes, Arguments... arguments) {
    demand(object != nullptr && bytes >= sizeof(Object));
    *object = kMake(arguments...);
    return Status::success;
  }
  static Status destroy(Object* object) {
    delete object;
    return Status::success;
  }
};

}  // namespace

#define HEDDLE_OBJECT(name, Object, make)                         \
  HEDDLE_EXPORT(cublasLt##name##Create, Maker<make>::create)      \
  HEDDLE_EXPORT(cublasLt##name##Init_internal, Maker<make>::fill) \
  HEDDLE_EXPORT(cublasLt##name##Destroy, Maker<make>::destroy)    \
  HEDDLE_EXPORT(cublasLt##name##SetAttribute, set<Object>)        \
  HEDDLE_EXPORT(cublasLt##name##GetAttribute, get<Object>)
HEDDLE_OBJECT(MatrixLayout, Layout, made_layout)
HEDDLE_OBJECT(MatmulDesc, Description, made_description)
HEDDLE_OBJECT(MatmulPreference, Preference, made_preference)
HEDDLE_OBJECT(MatrixTransformDesc, Transform, made_transform)
HEDDLE_EXPORT(cublasLtMatmulAlgoConfigSetAttribute, set<Algorithm>)
HEDDLE_EXPORT(cublasLtMatmulAlgoConfigGetAttribute, get<Algorithm>)

std::size_t size_of(DataType type) {
  return with_type(type, [](auto sample) { return sizeof sample; });
}

Place place(const Layout& layout, const void* address, std::int64_t index) {
  const auto bytes = index * layout.step * static_cast<std::int64_t>(size_of(layout.type));
  return {reinterpret_cast<std::uint64_t>(address) + static_cast<std::uint64_t>(bytes),
          layout.type,
          static_cast<std::int64_t>(layout.rows),
          static_cast<std::int64_t>(layout.columns),
          layout.leading,
          layout.order == Order::rows};
}

}  // namespace heddle::runtime::libraries::cublaslt
