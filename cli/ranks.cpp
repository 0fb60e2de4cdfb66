#include "cli/ranks.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>

#include "cli/layout.hpp"

namespace heddle::cli {

bool has_ranks() {
  // Open MPI's mpirun, and what MPICH's and Slurm's launchers set.
  for (const char* size : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (std::getenv(size) != nullptr) return true;
  return false;
}

int share_among_ranks(RankTasks& tasks) {
  const std::string file = library_beside(kRanksModule).string();
  if (file.empty())
    throw std::runtime_error(
        "mpirun started this, but there is no libheddle_ranks.so: build with Boost.MPI "
        "(libboost-mpi-dev, libopenmpi-dev) and install it by cmake --install BUILD --component "
        "ranks");
  // Open MPI's own plugins look for its symbols.
  void* const module = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (module == nullptr) throw std::runtime_error(dlerror());
  auto* const share = reinterpret_cast<ShareAmongRanks*>(dlsym(module, kShareAmongRanks));
  if (share == nullptr)
    throw std::runtime_error(fmt::format("{} is not of this version of Heddle", file));
  return share(tasks);
}

}  // namespace heddle::cli
