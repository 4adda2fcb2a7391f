/* Where the parts of a trace lie, in bytes, and the raw page inside its header. C, shared by writer and readers; trace.proto says
   what the parts mean, proto/README.md why they lie so. All values little-endian. */
#ifndef ROLLCALL_PROTO_RAW_LAYOUT_H_
#define ROLLCALL_PROTO_RAW_LAYOUT_H_

#include <stdint.h>

enum RollcallLayout {
  kRollcallHeaderBytes = 4096, /* the Header with its tag */
  kRollcallStateAt = 2048,     /* contents of Header.state */
  kRollcallStateBytes = 2048,
  kRollcallBlockBytes = 16384, /* the grid behind the header */
  kRollcallSequenceAt = 8,     /* in every block and record that has a sequence, from its tag */

  /* CallBlock, from its tag. A column is preceded by its tag and length, 4 bytes. */
  kRollcallRows = 1020,
  kRollcallBaseAt = 24,
  kRollcallShapeAt = 36,
  kRollcallEnteredAt = kRollcallShapeAt + 4 * kRollcallRows + 4,
  kRollcallStartedAt = kRollcallEnteredAt + 4 * kRollcallRows + 4,
  kRollcallCompletedAt = kRollcallStartedAt + 4 * kRollcallRows + 4,

  /* CallBlock, CellBlock and Segment */
  kRollcallSequenceCheckAt = kRollcallBlockBytes - 8,

  /* CellBlock, from its tag: two columns of 4 bytes, two of 8, the latter 8-aligned. */
  kRollcallCellRows = 680,
  kRollcallCellKindAt = 24,
  kRollcallCellExtraAt = kRollcallCellKindAt + 4 * kRollcallCellRows + 4,
  kRollcallCellRowAt = kRollcallCellExtraAt + 4 * kRollcallCellRows + 4,
  kRollcallCellValueAt = kRollcallCellRowAt + 8 * kRollcallCellRows + 8,

  /* Segment, from its tag */
  kRollcallPacketsAt = 16,
  kRollcallPacketsEnd = kRollcallBlockBytes - 12,

  /* Checkpoints, from its tag */
  kRollcallCheckpointsBytes = 584,
  kRollcallCheckpointsEntries = 64,
  kRollcallCheckpointsFirstAt = 24,
  kRollcallCheckpointsLaneAt = 36,
  kRollcallCheckpointsShiftAt = 44,
  kRollcallCheckpointsHashAt = 56,
  kRollcallCheckpointsCheckAt = 576,
  kRollcallCheckpointsPerLane = 64, /* 64 * 64 = 4096 checkpoints, then the step doubles */
  kRollcallCheckpointInterval = 1024,

  /* Progress, from its tag */
  kRollcallProgressBytes = 64,
  kRollcallProgressLaneAt = 17,
  kRollcallProgressCountAt = 22,
  kRollcallProgressHashAt = 31,
  kRollcallProgressNextRowAt = 40,
  kRollcallProgressCheckAt = 56,

  /* A block of fingerprint records: the Progress records, then the Checkpoints, then a pad. */
  kRollcallProgressPerBlock = 64, /* of 32 lanes */
  kRollcallCheckpointsPerBlock = 21
};

/* Values of CallBlock.completed that are no times. */
#define ROLLCALL_ENDED_SEE_EVENT 0xffffffffu
#define ROLLCALL_NOT_WATCHED 0xfffffffeu
/* Entered beyond this ends a block: started and completed then have as long again. */
#define ROLLCALL_LAST_ENTERED 0x80000000u
/* Checkpoints.hash: there; Progress.hash: ended. */
#define ROLLCALL_HASH_BIT (UINT64_C(1) << 63)

/* RollcallState.phase */
enum RollcallPhase {
  kRollcallPhaseStarting = 1, /* the helper does not own the mutex yet: it says nothing */
  kRollcallPhaseRunning = 2,
  kRollcallPhaseStopped = 3   /* recording ended although the process goes on: see Event RECORDING */
};

/* RollcallState.end_kind: how the process said that it ends. Provisional while the mutex is held: it may hang in its exit. */
enum RollcallEnd {
  kRollcallEndNone = 0,
  kRollcallEndExit = 1,   /* exit() or return from main: end_status */
  kRollcallEndQuick = 2,  /* _exit(), _Exit(): end_status */
  kRollcallEndSignal = 3, /* end_signal, end_signal_code, end_signal_pid */
  kRollcallEndExec = 4    /* the same process began anew as another program that recorded too */
};

enum RollcallStateSizes { kRollcallMutexBytes = 64, kRollcallExceptionBytes = 256 };

/* In the futex word at the start of `mutex`: the kernel sets this bit when the owner died. Lower 30 bits: tid of the owner. */
#define ROLLCALL_OWNER_DIED 0x40000000u
#define ROLLCALL_OWNER_TID 0x3fffffffu

#define ROLLCALL_STATE_MAGIC 0x4c4c4352u /* "RCLL" */

/* Header.state. Patched in place with plain aligned stores; a reader may see any mixture of old and new words. */
struct RollcallState {
  uint32_t magic;
  uint32_t phase;                       /* RollcallPhase */
  uint8_t mutex[kRollcallMutexBytes];   /* pthread_mutex_t, robust, process-shared, held by the helper for its life */
  uint64_t heartbeat_ns;                /* CLOCK_MONOTONIC, every 0.1 to 0.5 s */
  uint64_t heartbeat_boot_ns;           /* CLOCK_BOOTTIME at the same moment: goes on while the machine sleeps */
  uint64_t lost_rows;                   /* calls that found no room */
  uint64_t lost_definitions;            /* stacks, shapes ... beyond their budget */
  uint64_t lost_events;
  uint32_t error;                       /* errno that stopped the growth of the file; 0 = none */
  uint32_t file_kib;                    /* size the writer has made */
  uint32_t snapshot_request;            /* raised by others; the helper answers until snapshot_done equals it */
  uint32_t snapshot_done;
  uint32_t end_kind;                    /* RollcallEnd; stored last of this group */
  uint32_t end_status;
  uint32_t end_signal;
  int32_t end_signal_code;              /* si_code */
  uint32_t end_signal_pid;              /* si_pid when it was sent by a process; 0 = unknown */
  uint32_t end_reserved;
  uint64_t end_ns;                      /* CLOCK_MONOTONIC */
  uint64_t exception_ns;                /* 0 = none */
  uint32_t exception_bytes;             /* length of exception */
  uint32_t exception_tid;
  char exception[kRollcallExceptionBytes]; /* "Type: text", valid UTF-8, cut; ROLLCALL_EXCEPTION_TEXT=0: the type alone */
};

#endif /* ROLLCALL_PROTO_RAW_LAYOUT_H_ */
