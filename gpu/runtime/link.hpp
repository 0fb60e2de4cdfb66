// Code in several parts, made one by the toolkit's nvlink (cuLinkComplete).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "gpu/runtime/ptx.hpp"

namespace heddle::runtime {

// As CUjitInputType numbers them.
enum class PartKind : int { cubin = 0, ptx = 1, fat_binary = 2, object = 3, library = 4 };

struct LinkPart {
  PartKind kind = PartKind::ptx;
  std::string name;  // in messages
  std::vector<std::byte> contents;
};

// A cubin for `arch`. Throws PtxError: what cannot be compiled, what is missing, no such tool.
std::vector<std::byte> link_parts(isa::Arch arch, std::span<const LinkPart> parts,
                                  const JitOptions& options);

}  // namespace heddle::runtime
