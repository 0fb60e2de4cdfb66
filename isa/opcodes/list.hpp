// The list of all opcodes. Decoder, encoder, printer and the attributes derive from it.
//
// isa/row.hpp explains the rows and how to add one.
#pragma once

#include "isa/opcodes/atomic.hpp"
#include "isa/opcodes/bulk.hpp"
#include "isa/opcodes/control.hpp"
#include "isa/opcodes/convert.hpp"
#include "isa/opcodes/double.hpp"
#include "isa/opcodes/float.hpp"
#include "isa/opcodes/half.hpp"
#include "isa/opcodes/integer.hpp"
#include "isa/opcodes/matrix.hpp"
#include "isa/opcodes/memory.hpp"
#include "isa/opcodes/move.hpp"
#include "isa/opcodes/tensor_memory.hpp"
#include "isa/opcodes/texture.hpp"
#include "isa/opcodes/uniform.hpp"
#include "isa/opcodes/warp.hpp"
#include "isa/opcodes/warpgroup.hpp"
