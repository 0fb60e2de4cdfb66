// heddle.toml, for the commands with the most options.
#include "cli/configuration.hpp"
#include "isa/fuzz/input_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle::cli;
  static heddle::isa::InputFile file;
  Surroundings around;
  around.environment = [](const char*) -> const char* { return nullptr; };
  around.files = {file.holding({data, size})};
  for (const char* name : {"run", "show", "validate"}) {
    const Command& command = find_command(name);
    Arguments arguments = parse(command, {});
    try {
      configure(arguments, command, around);
      configuration_text(arguments, command);
    } catch (const Usage&) {
    }
  }
  return 0;
}
