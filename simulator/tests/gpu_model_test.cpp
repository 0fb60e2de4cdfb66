#include "simulator/models/gpu_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

namespace heddle::simulator {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::string file_of(const std::string& id) {
  std::ifstream file(std::string(HEDDLE_SOURCE_DIR) + "/simulator/models/" + id + ".toml");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

auto parsing(const std::string& text) {
  return [text] { parse_gpu_model(text, "x", "x.toml"); };
}

TEST(GpuModel, OfEveryArchitectureIsBuiltIn) {
  for (isa::Arch arch : isa::kAllArchs) EXPECT_EQ(default_model(arch).arch, arch);
}

TEST(GpuModel, HasEachRoleOnceAtMost) {
  std::map<isa::Arch, unsigned> defaults, of_traces;
  unsigned references = 0;
  for (const std::string& id : model_ids()) {
    const GpuModel& model = gpu_model(id);
    defaults[model.arch] += model.is_default ? 1 : 0;
    of_traces[model.arch] += model.replays_traces ? 1 : 0;
    references += model.is_reference ? 1 : 0;
  }
  EXPECT_EQ(references, 1u);
  for (isa::Arch arch : isa::kAllArchs) {
    EXPECT_EQ(defaults[arch], 1u) << isa::name(arch);
    EXPECT_LE(of_traces[arch], 1u) << isa::name(arch);
  }
}

TEST(GpuModel, IsFoundByEachRoleThatItsFileNames) {
  for (const std::string& id : model_ids()) {
    const GpuModel& model = gpu_model(id);
    if (model.is_default) {
      EXPECT_EQ(&default_model(model.arch), &model) << id;
    }
    if (model.is_reference) {
      EXPECT_EQ(&reference_model(), &model) << id;
    }
    if (model.replays_traces) {
      EXPECT_EQ(accelsim_model(model.arch), &model) << id;
    }
  }
}

TEST(GpuModel, HoldsTheH200) {
  const GpuModel& model = gpu_model("h200");
  EXPECT_EQ(model.name, "NVIDIA H200");
  EXPECT_EQ(model.sms, 132u);
  EXPECT_EQ(model.shared_bytes_per_sm, 228u * 1024);
  EXPECT_EQ(model.shared_bytes_per_block_optin, 227u * 1024);
}

TEST(GpuModel, ThatIsUnknownIsRefusedNamingTheKnownOnes) {
  EXPECT_THAT([] { gpu_model("h2000"); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("gt240, h100, h200")));
}

TEST(GpuModel, HasAUnitAndASourceForEveryValue) {
  for (const std::string& id : model_ids())
    for (const ModelValue& value : model_values(id)) {
      EXPECT_FALSE(value.unit.empty()) << id << " " << value.key;
      EXPECT_THAT(value.source, ::testing::MatchesRegex("(documented|measured|guess): .+"))
          << id << " " << value.key;
    }
}

TEST(GpuModelFile, WithAMissingValueIsRefusedByName) {
  EXPECT_THAT(parsing(replaced(file_of("t4"), "l2_bytes =", "name2 =")),
              ThrowsMessage<std::runtime_error>(HasSubstr("x.toml: name2: is not a value")));
  const std::string text = file_of("t4");
  const std::size_t at = text.find("l2_bytes");
  const std::string without = text.substr(0, at) + text.substr(text.find('\n', at) + 1);
  EXPECT_THAT(parsing(without),
              ThrowsMessage<std::runtime_error>(HasSubstr("x.toml: l2_bytes: missing")));
}

TEST(GpuModelFile, WithoutProvenanceOrUnitIsRefused) {
  const std::string t4 = file_of("t4");
  EXPECT_THAT(parsing(replaced(t4, "documented: NVIDIA T4", "from NVIDIA T4")),
              ThrowsMessage<std::runtime_error>(HasSubstr("sms: its source must start with")));
  EXPECT_THAT(parsing(replaced(t4, "unit = \"SM\"", "unit = \"GPC\"")),
              ThrowsMessage<std::runtime_error>(HasSubstr("sms: its unit must be \"SM\"")));
}

TEST(GpuModelFile, WithANumberOutOfRangeIsRefused) {
  const std::string t4 = file_of("t4");
  EXPECT_THAT(parsing(replaced(t4, "value = 40,", "value = 0,")),
              ThrowsMessage<std::runtime_error>(HasSubstr("sms: must be positive")));
  EXPECT_THAT(parsing(replaced(t4, "value = 40,", "value = 4294967296,")),
              ThrowsMessage<std::runtime_error>(HasSubstr("sms: is too large")));
  EXPECT_THAT(parsing(replaced(t4, "value = 40,", "value = \"40\",")),
              ThrowsMessage<std::runtime_error>(HasSubstr("sms: has no whole number")));
}

TEST(GpuModelFile, WithARoleThatNobodyKnowsIsRefused) {
  EXPECT_THAT(parsing(replaced(file_of("t4"), "roles = [\"default\"", "roles = [\"usual\"")),
              ThrowsMessage<std::runtime_error>(HasSubstr("roles: does not know \"usual\"")));
}

TEST(GpuModelFile, ThatIsNotTomlIsRefusedWithTheLine) {
  EXPECT_THAT(parsing("name = \"x\"\narch == \"sm_90\"\n"),
              ThrowsMessage<std::runtime_error>(HasSubstr("x.toml:2: ")));
}

}  // namespace
}  // namespace heddle::simulator
