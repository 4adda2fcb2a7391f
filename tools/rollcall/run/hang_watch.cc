#include "tools/rollcall/run/hang_watch.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace rollcall::tools {

bool Hangs(const Progress& progress, std::int64_t now_ns, double limit_seconds) {
  const auto limit_ns = static_cast<std::int64_t>(limit_seconds * 1e9);
  return limit_seconds > 0 && progress.oldest_pending_ns != 0 &&
         now_ns - progress.oldest_pending_ns >= limit_ns &&
         now_ns - progress.newest_stamp_ns >= limit_ns;
}

HangWatch::HangWatch(std::string folder, double limit_seconds)
    : traces_(std::move(folder)), limit_seconds_(limit_seconds) {}

double HangWatch::interval_seconds() const {
  return std::clamp(limit_seconds_ / 8, 0.1, 0.5);
}

bool HangWatch::Look() {
  constexpr double kAnswerSeconds = 1.5;
  const Progress progress = traces_.Look();
  const std::int64_t now_ns =
      std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
  if (!Hangs(progress, now_ns, limit_seconds_) || progress.newest_stamp_ns == told_at_stamp_ns_)
    return false;
  told_at_stamp_ns_ = progress.newest_stamp_ns;
  traces_.RequestSnapshots(kAnswerSeconds);
  return true;
}

}  // namespace rollcall::tools
