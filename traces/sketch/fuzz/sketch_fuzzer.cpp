// The sketch compiler: a SketchError is an answer; what compiles is a cubin that our reader takes,
// with no word in it that does not decode.
#include <cstdlib>

#include "isa/fuzz/target.hpp"
#include "isa/program.hpp"
#include "traces/sketch/compile.hpp"

namespace {

void compile_with(std::string_view text, const char* rule) {
  using namespace heddle::isa;
  const sketch::Compiled compiled =
      sketch::compile(text, "fuzz.warp",
                      {.predication = sketch::find_predication_rule(rule),
                       .read_file = [](const std::string&) { return std::string("3 5*2 9"); }});
  const Cubin cubin = parse_cubin(compiled.cubin, "fuzz.warp");
  const Program program =
      place(cubin, {.section_address = [](std::uint32_t) { return 1 << 20; }, .external = {}});
  for (std::uint32_t i = 0; i < program.trap(); ++i)
    if (!program.instructions[i]) std::abort();
  for (const Function& function : cubin.functions) read_line_table(cubin, function.section);
}

}  // namespace

HEDDLE_FUZZ_TARGET(bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  try {
    compile_with(text, "off");
    compile_with(text, "cuda13");
  } catch (const heddle::isa::sketch::SketchError&) {
  }
}
