#include "gpu/runtime/link.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "gpu/runtime/code_image.hpp"
#include "gpu/runtime/code_in_memory.hpp"
#include "gpu/runtime/toolkit.hpp"

namespace heddle::runtime {
namespace {

namespace fs = std::filesystem;

// nvlink tells parts by the ends of their names: they need a folder.
class Folder {
 public:
  Folder() : path_((fs::temp_directory_path() / "heddle-link-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr)
      throw std::system_error(errno, std::generic_category(), path_);
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// The cubins in a part that is none itself; empty: nvlink reads the part.
std::vector<isa::FatEntry> cubins_in(isa::Arch arch, const LinkPart& part, JitOptions options) {
  if (part.kind == PartKind::object || part.kind == PartKind::library) return {};
  std::vector<std::byte> text = part.contents;
  text.push_back(std::byte{0});  // behind PTX
  std::vector<isa::FatEntry> entries = read_code(text.data(), part.name);
  const auto ptx = ptx_for(arch, entries);
  auto cubins = entries_for(arch, std::move(entries));
  options.relocatable = true;
  if (cubins.empty()) cubins = compile_ptx(arch, ptx, part.name, options);
  if (cubins.empty())
    throw PtxError(Error::no_kernel_image_for_device,
                   fmt::format("{}: no code that {} runs", part.name, isa::name(arch)));
  return cubins;
}

void write(const std::string& path, const std::vector<std::byte>& bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) throw std::system_error(errno, std::generic_category(), path);
}

std::vector<std::byte> read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

}  // namespace

std::vector<std::byte> link_parts(isa::Arch arch, std::span<const LinkPart> parts,
                                  const JitOptions& options) try {
  const std::string nvlink = find_tool("nvlink");
  if (nvlink.empty())
    throw PtxError(Error::jit_compiler_not_found,
                   "linking needs the CUDA Toolkit's nvlink (HEDDLE_NVLINK or CUDA_HOME says where "
                   "it is)");
  const Folder folder;
  std::vector<std::string> command{nvlink, fmt::format("-arch=sm_{}", isa::sm_number(arch))};
  const auto add = [&](const std::vector<std::byte>& contents, const char* end) {
    command.push_back(folder.file(fmt::format("part{}{}", command.size(), end)));
    write(command.back(), contents);
  };
  for (const LinkPart& part : parts) {
    for (const isa::FatEntry& cubin : cubins_in(arch, part, options)) add(cubin.contents, ".cubin");
    if (part.kind == PartKind::object) add(part.contents, ".o");
    if (part.kind == PartKind::library) add(part.contents, ".a");
  }
  const std::string linked = folder.file("linked.cubin");
  command.insert(command.end(), {"-o", linked});
  const MemoryFile output("messages");
  run_tool(std::move(command), output);
  std::vector<std::byte> cubin = read(linked);
  const std::vector<std::byte> said = output.read();
  const std::string_view text(reinterpret_cast<const char*>(said.data()), said.size());
  if (cubin.empty() || text.find("error") != text.npos)  // some errors leave a cubin
    throw PtxError(Error::invalid_source, fmt::format("{} cannot link:\n{}", nvlink, text));
  return cubin;
} catch (const isa::CubinError& bad) {
  throw PtxError(Error::invalid_kernel_image, bad.what());
} catch (const std::system_error& failed) {
  throw PtxError(Error::invalid_source, fmt::format("nothing is linked: {}", failed.what()));
}

}  // namespace heddle::runtime
