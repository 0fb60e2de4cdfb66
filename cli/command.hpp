// One table of what can be typed. The parser, --help, the man page, shell completion and the
// reference page are all made from it, so they cannot disagree.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::cli {

// What an option has written, or read, or run. A heddle.toml that came with a folder may set none
// that do.
enum class Effect : unsigned char {
  none,
  file,     // written: a path, "-" for stdout
  folder,   // written to
  trace,    // written: FORM or FORM=PATH
  trusted,  // sources are read, or programs run, from there
};

// Words an option takes.
using Names = std::vector<std::string>;

struct Option {
  std::string_view name;      // without dashes
  char letter = 0;            // 0: it has none
  std::string_view argument;  // what it takes, as help shows it; empty: a flag
  std::string_view meaning;
  Effect effect = Effect::none;
  Names (*names)() = nullptr;  // the words it takes, one each; null: any
  bool is_open = false;        // others too; its reader checks them
};

class Arguments {
 public:
  bool has(std::string_view option) const { return values_.contains(option); }
  // The last value given; `otherwise` when there is none, or the option is a flag.
  std::string value(std::string_view option, std::string_view otherwise = "") const;
  // Throws Usage when it is not a whole number within the range. K, M, G and T stand for thousands.
  std::optional<std::uint64_t> number(std::string_view option, std::uint64_t most) const;
  // The same in bytes: K, M, G and T stand for powers of 1024.
  std::optional<std::uint64_t> bytes(std::string_view option, std::uint64_t most) const;
  std::vector<std::string> list(std::string_view option) const;    // split at commas
  std::vector<std::string> values(std::string_view option) const;  // as often as it was given

  std::vector<std::string> words;    // what is not an option
  std::vector<std::string> program;  // a program and its arguments

 private:
  friend Arguments parse(const struct Command&, const std::vector<std::string>&);
  friend void configure(Arguments&, const struct Command&, const struct Surroundings&);
  friend std::string configuration_text(const Arguments&, const struct Command&);
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
  std::map<std::string, std::string, std::less<>> origins_;  // where each was set
};

struct Command {
  std::string_view name;
  std::string_view synopsis;  // after "heddle NAME"
  std::string_view summary;   // one line
  std::string_view details;   // paragraphs; exit statuses
  std::span<const std::string_view> examples;
  std::span<const Option> options;
  // The first word that is no option, or what follows --, is a program; all behind it are its
  // arguments.
  bool takes_program = false;
  // … but not where this says that the command reads the file of that name itself.
  bool (*reads_file)(const std::string& word) = nullptr;
  int (*run)(const Arguments&) = nullptr;
};

std::span<const Command> commands();

// Options every command has.
std::span<const Option> common_options();

// A mistake on the command line: exit status 2.
class Usage : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Ends the command with this status; stderr says already why.
struct Ended {
  int status;
};

const Command& find_command(std::string_view name);  // throws Usage, "did you mean"
// "; did you mean h200?", or "; there are a, b, c" where none is near.
std::string suggestion(std::string_view word, const Names& known);
// Throws Usage where an option has a value that is none of its names.
void check_names(const Arguments& arguments, const Command& command);
Arguments parse(const Command& command, const std::vector<std::string>& words);

inline constexpr int kDifferent = 1;    // compare, validate
inline constexpr int kTrouble = 2;      // compare, validate; usage everywhere
inline constexpr int kLimit = 124;      // run, step, simplify: a limit was reached
inline constexpr int kFailed = 125;     // run: Heddle failed, not the program
inline constexpr int kSignalled = 128;  // run: and the signal; 130 is Ctrl-C

}  // namespace heddle::cli
