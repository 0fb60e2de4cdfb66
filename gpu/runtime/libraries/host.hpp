// Libraries of the host, which compute what stand-ins are asked for. They are opened by name when
// they are first needed: nothing here is linked with them, and a program that calls none needs
// none.
#pragma once

#include <stdexcept>
#include <string>

namespace heddle::runtime::libraries {

enum class Host { openblas, lapacke, fftw, fftwf };

// A library, or a function of it, that is not there; says which package to install.
class Missing : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Throws Missing. The second only looks whether the library is there.
void* host_function(Host library, const std::string& name);
void need(Host library);

// Calls a C function whose parameters have exactly the types of the arguments.
template <typename Result = void, typename... Arguments>
Result call_host(Host library, const std::string& name, Arguments... arguments) {
  return reinterpret_cast<Result (*)(Arguments...)>(host_function(library, name))(arguments...);
}

}  // namespace heddle::runtime::libraries
