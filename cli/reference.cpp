// heddle reference: this command's own documentation, from the table it is parsed by.
#include "cli/help.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>

#include "cli/commands.hpp"

namespace heddle::cli {

int run_reference(const Arguments& arguments) {
  const Names forms{"markdown", "metrics", "man", "bash", "zsh", "fish"};
  const std::string form = arguments.words.empty() ? "" : arguments.words[0];
  if (arguments.words.size() > (form == "man" ? 2 : 1)) throw Usage("give one page at a time");
  if (form.empty()) throw Usage(fmt::format("give one of {}", fmt::join(forms, ", ")));
  if (std::ranges::find(forms, form) == forms.end())
    throw Usage(fmt::format("no page {}{}", form, suggestion(form, forms)));
  if (form == "markdown")
    std::fputs(reference().c_str(), stdout);
  else if (form == "metrics")
    std::fputs(metrics_page().c_str(), stdout);
  else if (form == "man")
    std::fputs(
        (arguments.words.size() == 1 ? man_page() : man_page(find_command(arguments.words[1])))
            .c_str(),
        stdout);
  else if (form == "bash")
    std::fputs(bash_completion().c_str(), stdout);
  else if (form == "zsh")
    std::fputs(zsh_completion().c_str(), stdout);
  else
    std::fputs(fish_completion().c_str(), stdout);
  return 0;
}

}  // namespace heddle::cli
