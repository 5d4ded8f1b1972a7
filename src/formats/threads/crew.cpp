#include "threads/crew.hpp"

#include <sched.h>

namespace clc {

namespace {

/// Processors that this program may use.
unsigned processors() noexcept {
  cpu_set_t set;
  CPU_ZERO(&set);
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? static_cast<unsigned>(CPU_COUNT(&set)) : 1;
}

}  // namespace

Threads::Threads(std::optional<unsigned> count) : crew_(std::make_unique<Crew>(count)) {}

Threads::~Threads() = default;

void Threads::drain() { crew_->drain(); }

Threads::Crew::Crew(std::optional<unsigned> count) : automatic_(!count), count_(count.value_or(processors())) {
  writes_ = count_ > 1;
  reads_ = count ? count_ > 2 : count_ > 1;
}

void Threads::Crew::set_wake(std::function<void()> wake) {
  const std::lock_guard lock(mutex_);
  wake_ = std::move(wake);
}

void Threads::Crew::fail(std::exception_ptr error) {
  const std::lock_guard lock(mutex_);
  error_ = std::move(error);
  if (wake_) wake_();
}

void Threads::Crew::rethrow() {
  const std::lock_guard lock(mutex_);
  if (error_) std::rethrow_exception(error_);
}

}  // namespace clc
