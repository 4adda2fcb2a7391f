// The first 4096 bytes of a trace: the Header message with the raw state page in its second half.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rollcall::interpose {

// Fills a page of kRollcallHeaderBytes that is all zeros.
void PutHeaderPage(std::uint8_t* page) noexcept;

// Field 22 of /proc/self/stat, clock ticks after boot; 0 = unknown.
std::uint64_t ProcessStartTicks() noexcept;
// Reads a small file; text ends in a zero and has no newline at its end. Returns its length.
std::size_t ReadSmallFile(const char* path, char* text, std::size_t capacity) noexcept;

}  // namespace rollcall::interpose
