// One line for each kind of packet.
#pragma once

#include <cstdint>
#include <string>

#include "analyzer/model/loaded_process.h"
#include "analyzer/trace/blocks.h"

namespace rollcall::tools {

std::string HeaderLine(const Header& header);
std::string StateLine(const RollcallState& state);
// process: resolves ids of stacks and shapes.
std::string DefinitionLine(const Definition& definition, const analyzer::LoadedProcess& process);
std::string EventLine(const Event& event);
std::string CellLine(const analyzer::CellView& cell);
std::string ProgressLine(const analyzer::ProgressView& progress);
std::string CheckpointsLine(const analyzer::CheckpointsView& checkpoints);
std::string CallLine(const analyzer::CallColumns& block, std::uint32_t row,
                     const analyzer::LoadedProcess& process);

}  // namespace rollcall::tools
