// Errors by which a communication library tells a rank that something is wrong elsewhere. Whoever
// dies of one is a victim.
#pragma once

#include <string>

namespace rollcall::analyzer {

enum class LibraryError {
  kNone,          // not one of the library's: the program's own
  kTimeout,       // a peer did not come in time
  kConnection,    // a peer's connection is gone
  kSize,          // a peer sent more than fits
  kDisagreement,  // a check of arguments between ranks failed
};

LibraryError LibraryErrorOf(const std::string& text);

// Errors that the same libraries raise before any peer is asked: the cause lies with the rank
// itself, its machine or its settings. LibraryErrorOf says kNone to them.
enum class LocalError {
  kNone,
  kAddressTaken,      // another process listens on the port already
  kListen,            // the port cannot be listened on for another reason
  kNameUnknown,       // the name of the other machine has no address
  kInterfaceUnknown,  // there is no network interface of that name
};

LocalError LocalErrorOf(const std::string& text);

}  // namespace rollcall::analyzer
