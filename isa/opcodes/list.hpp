// The list of all opcodes. Decoder, encoder, printer and the attributes derive from it.
//
// To add an opcode: append its name to isa/op.hpp, put its row into the file it belongs to
// (isa/encoding.hpp explains the language), and run decoder_test: a row that claims a bit twice or
// overlaps with another one does not compile.
#pragma once

#include "isa/opcodes/atomic.hpp"
#include "isa/opcodes/control.hpp"
#include "isa/opcodes/convert.hpp"
#include "isa/opcodes/double.hpp"
#include "isa/opcodes/float.hpp"
#include "isa/opcodes/half.hpp"
#include "isa/opcodes/integer.hpp"
#include "isa/opcodes/matrix.hpp"
#include "isa/opcodes/memory.hpp"
#include "isa/opcodes/move.hpp"
#include "isa/opcodes/uniform.hpp"
#include "isa/opcodes/warp.hpp"
