// Lists and objects inside JSON. The library's own way from null to either ([] and push_back on
// null) leaves a value behind that cannot be destroyed where memory runs out meanwhile.
// The library's classes are compiled once, in json.cpp, and not by each file that needs them.
#pragma once

#include <nlohmann/json.hpp>

extern template class nlohmann::basic_json<>;
extern template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace heddle::simulator {

// The list at a key of an object, made where there is none.
template <typename Json>
Json& list_at(Json& object, const char* key) {
  Json& list = object[key];
  if (list.is_null()) list = Json::array();
  return list;
}

// The same for an object.
template <typename Json>
Json& object_at(Json& object, const char* key) {
  Json& inner = object[key];
  if (inner.is_null()) inner = Json::object();
  return inner;
}

}  // namespace heddle::simulator
