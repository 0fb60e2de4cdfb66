// The record that this process writes; null: none is wanted. Written by the engine's thread alone.
#pragma once

#include <memory>

namespace heddle::runtime {

class RecordStreamWriter;

std::shared_ptr<RecordStreamWriter>& process_record();

}  // namespace heddle::runtime
