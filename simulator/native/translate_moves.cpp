// Words that go from row to row.
#include "simulator/lanes/copy_rows.hpp"
#include "simulator/native/run_compiler.hpp"

namespace heddle::simulator::native {
namespace {

using isa::Op;
using Row = RunCompiler::Row;

bool move(RunCompiler& c, RowOffset from, unsigned next, unsigned to) {
  const Row word = c.source(from, next), d = c.destination(to);
  for (unsigned part = 0; part < c.parts(); ++part) c.copy(d[part], word[part]);
  return true;
}

bool select(RunCompiler& c) {
  const MicroOp& op = c.op();
  const Row a = c.source(op.a), b = c.source(op.b), d = c.destination();
  for (unsigned part = 0; part < c.parts(); ++part)
    c.choose(d[part], b[part], a[part], c.predicate(op.pp, part));
  return true;
}

}  // namespace

// Also of other instructions whose result is known before they execute (lowering.cpp).
bool translate_copy(RunCompiler& c) {
  const MicroOp& op = c.op();
  const unsigned rows = lanes::rows_copied(op);
  for (unsigned i = 0; i < rows; ++i) move(c, i < 2 ? op.a : op.b, i % 2, i);
  return rows != 0;
}

bool translate_moves(RunCompiler& c) {
  const MicroOp& op = c.op();
  switch (op.instruction->op) {
    case Op::MOV:
    case Op::UMOV:
      return op.param[0] == ~0u && move(c, op.b, 0, 0);
    case Op::MOV_64:
    case Op::UMOV_64:
      return move(c, op.b, 0, 0) && move(c, op.b, 1, 1);
    case Op::SEL:
    case Op::USEL:
      return select(c);
    default:
      return false;
  }
}

}  // namespace heddle::simulator::native
