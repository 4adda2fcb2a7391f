#include "analyzer/match/library_error.h"

#include <array>

#include "absl/strings/match.h"

namespace rollcall::analyzer {
namespace {

template <class Error>
struct Phrase {
  const char* text;
  Error error;
};

template <class Error, std::size_t kCount>
Error FirstThatFits(const std::string& text, const std::array<Phrase<Error>, kCount>& phrases) {
  for (const Phrase<Error>& phrase : phrases) {
    if (absl::StrContains(text, phrase.text)) return phrase.error;
  }
  return Error::kNone;
}

constexpr std::array<Phrase<LocalError>, 9> kLocalPhrases = {{
    {"Address already in use", LocalError::kAddressTaken},
    {"address already in use", LocalError::kAddressTaken},
    {"EADDRINUSE", LocalError::kAddressTaken},
    {"The server socket has failed to", LocalError::kListen},
    {"gai error", LocalError::kNameUnknown},
    {"Name or service not known", LocalError::kNameUnknown},
    {"name resolution", LocalError::kNameUnknown},
    {"Unable to find interface for", LocalError::kInterfaceUnknown},
    {"Unable to find address for", LocalError::kInterfaceUnknown},
}};

// Parts of messages that hold over versions: file names and line numbers in them do not. The first
// that is found counts.
constexpr std::array<Phrase<LibraryError>, 34> kPhrases = {{
    {"op.preamble.length <= op.nbytes", LibraryError::kSize},
    {"Detected mismatch between collectives", LibraryError::kDisagreement},
    {"appears not to match sizes of the same param in process", LibraryError::kDisagreement},
    {"appears not to match strides of the same param in process", LibraryError::kDisagreement},
    {"DDP expects same model across all ranks", LibraryError::kDisagreement},
    {"Timed out waiting", LibraryError::kTimeout},
    {"in store based barrier", LibraryError::kTimeout},
    {"failed to pass monitoredBarrier", LibraryError::kTimeout},
    {"Watchdog caught collective operation timeout", LibraryError::kTimeout},
    {"Some NCCL operations have failed or timed out", LibraryError::kTimeout},
    {"Socket Timeout", LibraryError::kTimeout},
    {"wait timeout after", LibraryError::kTimeout},
    {"timed out after", LibraryError::kTimeout},
    {"The client socket has timed out", LibraryError::kTimeout},
    {"Wait timeout", LibraryError::kTimeout},
    {"Gloo connectFullMesh failed", LibraryError::kConnection},
    {"successfully reached monitoredBarrier, but received errors", LibraryError::kConnection},
    {"Connection closed by peer", LibraryError::kConnection},
    {"Connection reset by peer", LibraryError::kConnection},
    {"Connection was likely closed", LibraryError::kConnection},
    {"Broken pipe", LibraryError::kConnection},
    {"Application timeout caused pair closure", LibraryError::kTimeout},
    {"failed to recv, got 0 bytes", LibraryError::kConnection},
    {"Failed to recv, got 0 bytes", LibraryError::kConnection},
    {"DistNetworkError", LibraryError::kConnection},
    {"DistStoreError", LibraryError::kTimeout},
    {"ncclRemoteError", LibraryError::kConnection},
    {"remote process exited or there was a network error", LibraryError::kConnection},
    {"NCCL communicator was aborted", LibraryError::kConnection},
    {"NCCL timeout", LibraryError::kTimeout},
    {"ncclInternalError", LibraryError::kConnection},
    {"DistBackendError", LibraryError::kConnection},
    {"ncclSystemError", LibraryError::kConnection},
    {"Horovod has been shut down", LibraryError::kConnection},
}};

}  // namespace

LibraryError LibraryErrorOf(const std::string& text) {
  if (LocalErrorOf(text) != LocalError::kNone) return LibraryError::kNone;
  return FirstThatFits(text, kPhrases);
}

LocalError LocalErrorOf(const std::string& text) {
  return FirstThatFits(text, kLocalPhrases);
}

}  // namespace rollcall::analyzer
