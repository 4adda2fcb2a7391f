// Communicators as seen by several processes become one: who of them took part, by rank.
#pragma once

#include <vector>

#include "analyzer/model/decode_calls.h"
#include "analyzer/model/loaded_process.h"

namespace rollcall::analyzer {

// Members are joined by (incarnation, digest, occurrence). Where several processes claim one rank,
// the claims are groups of one name on disjoint ranks if they can be told apart by size, members or
// order of global ranks; else all of them stay in one communicator. Sets
// CommunicatorHandle::communicator.
void JoinCommunicators(const std::vector<LoadedProcess>& loaded, Job& job);
// Hands the sequences of the processes (by index of process) to the participants.
void SetParticipantCalls(std::vector<Decoded>& decoded, Job& job);

}  // namespace rollcall::analyzer
