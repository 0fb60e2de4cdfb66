#include "gpu/cupti/json.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace heddle::cupti {
namespace {

TEST(Json, MembersReadBackAsTheyWereWritten) {
  Members members;
  members.add("text", "tab\t quote\" back\\slash \x01 \xc3\xa9")
      .add("count", std::uint64_t{18446744073709551615u});
  members.add("ratio", 0.1).add("whole", 26966016.0).add("none", std::nan(""));
  members.add_raw("list", json_array({"1", json_string("two")}));
  const auto json = nlohmann::json::parse(members.object());
  EXPECT_EQ(json["text"], "tab\t quote\" back\\slash \x01 \xc3\xa9");
  EXPECT_EQ(json["count"].get<std::uint64_t>(), 18446744073709551615u);
  EXPECT_EQ(json["ratio"].get<double>(), 0.1);
  EXPECT_TRUE(json["whole"].is_number_integer());
  EXPECT_TRUE(json["none"].is_null());
  EXPECT_EQ(json["list"][1], "two");
}

TEST(Json, TextHasNeitherTabsNorLineEnds) {
  Members members;
  members.add("name", "a\tb\nc\rd");
  EXPECT_EQ(members.text().find_first_of("\t\n\r"), std::string::npos);
}

TEST(Json, MembersOfTwoSourcesAreSplicedWithOneComma) {
  Members all, empty;
  all.add_members(empty.text()).add("a", std::uint64_t{1}).add_members(empty.text());
  all.add_members("\"b\": 2");
  EXPECT_EQ(all.object(), "{\"a\": 1, \"b\": 2}");
}

}  // namespace
}  // namespace heddle::cupti
