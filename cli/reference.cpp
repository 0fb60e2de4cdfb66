// heddle reference: this command's own documentation, from the table it is parsed by.
#include "cli/help.hpp"

#include <cstdio>

#include "cli/commands.hpp"

namespace heddle::cli {

int run_reference(const Arguments& arguments) {
  const std::string form = arguments.words.size() == 1 ? arguments.words[0] : "";
  if (form == "markdown")
    std::fputs(reference().c_str(), stdout);
  else if (form == "metrics")
    std::fputs(metrics_page().c_str(), stdout);
  else if (form == "man")
    std::fputs(man_page().c_str(), stdout);
  else if (form == "bash")
    std::fputs(bash_completion().c_str(), stdout);
  else
    throw Usage("give one of markdown, metrics, man, bash");
  return 0;
}

}  // namespace heddle::cli
