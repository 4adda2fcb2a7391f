// What jobs do, one after the other. Each phase adds calls that all members make alike, or that
// differ in a way that is legal.
#pragma once

#include "tests/generate/builder.h"

namespace rollcall::tests::generate {

// phases_collectives.cc
void AddSetup(Builder& builder);  // parameters are broadcast, objects gathered
void AddTraining(
    Builder& builder);  // steps with gradients in buckets, accumulation, evaluation, checkpoints
void AddMixture(Builder& builder);         // a loop of any collectives
void AddBranches(Builder& builder);        // one call from two branches or from two functions
void AddUnevenExchange(Builder& builder);  // alltoall with splits that differ by rank
void AddAsync(Builder& builder);           // begun first, waited for later
void AddSlowRank(Builder& builder);        // regularly late

// phases_p2p.cc
void AddRing(Builder& builder);
void AddExchange(Builder& builder);
void AddPipeline(Builder& builder);

// phases_communicators.cc
void AddGrid(Builder& builder);  // tensor and data parallel groups
void AddSplit(Builder& builder);
void AddCreation(Builder& builder);
void AddThread(Builder& builder);         // a second thread with a group of its own
void AddSecondBackend(Builder& builder);  // NCCL with barriers over Gloo
void AddShrunk(Builder& builder);         // ranks leave, the rest goes on: last phase only

// phases_device.cc, under NCCL alone
void AddStreams(Builder& builder);
void AddGraph(Builder& builder);
void AddGroupedCalls(Builder& builder);

}  // namespace rollcall::tests::generate
