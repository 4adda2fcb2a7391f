// What every path outside the hot one needs around it: the definitions' mutex held, errno kept, and
// no cancellation of the guest's thread inside our system calls (pwrite and open are cancellation
// points; a thread that ended there would keep the mutex for ever).
#pragma once

#include <errno.h>
#include <pthread.h>

namespace rollcall::interpose {

class ErrnoGuard {
 public:
  ErrnoGuard() noexcept : saved_(errno) {}
  ~ErrnoGuard() noexcept { errno = saved_; }
  ErrnoGuard(const ErrnoGuard&) = delete;
  ErrnoGuard& operator=(const ErrnoGuard&) = delete;

 private:
  const int saved_;
};

class CancellationGuard {
 public:
  CancellationGuard() noexcept { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &saved_); }
  ~CancellationGuard() noexcept { pthread_setcancelstate(saved_, nullptr); }
  CancellationGuard(const CancellationGuard&) = delete;
  CancellationGuard& operator=(const CancellationGuard&) = delete;

 private:
  int saved_ = 0;
};

class SlowSection {
 public:
  explicit SlowSection(pthread_mutex_t& mutex) noexcept : mutex_(mutex) {
    pthread_mutex_lock(&mutex_);
  }
  ~SlowSection() noexcept { pthread_mutex_unlock(&mutex_); }
  SlowSection(const SlowSection&) = delete;
  SlowSection& operator=(const SlowSection&) = delete;

 private:
  ErrnoGuard errno_guard_;
  CancellationGuard cancellation_guard_;
  pthread_mutex_t& mutex_;
};

}  // namespace rollcall::interpose
