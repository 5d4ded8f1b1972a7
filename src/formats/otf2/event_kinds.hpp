// Maps the events of an archive to those of a trace: names, operations, call ids.
#pragma once

#include <otf2/otf2.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "clc/event.hpp"
#include "otf2/records.hpp"

namespace clc::otf2 {

/// Position of every kind of event in the list of kinds.
enum class EventKind : std::size_t {
#define CLC_NAME(Name) Name,
  CLC_OTF2_EVENTS(CLC_NAME)
#undef CLC_NAME
      unknown,
};

[[nodiscard]] constexpr std::size_t number(EventKind kind) noexcept { return static_cast<std::size_t>(kind); }

/// What an event of a kind that orders nothing is in the text format: "I MPI_ISEND_COMPLETE".
[[nodiscard]] const std::string& internal_text(std::size_t kind);

/// nullopt: orders nothing (making and freeing of handles: nobody need wait for anybody).
[[nodiscard]] std::optional<Operation> operation_of(OTF2_CollectiveOp operation) noexcept;
[[nodiscard]] OTF2_CollectiveOp operation_of(Operation operation) noexcept;

/// Call ids that no request has.
inline constexpr std::int64_t window_call = std::numeric_limits<std::int64_t>::min() + 1;
inline constexpr std::int64_t group_sync_call = window_call + 1;
inline constexpr std::int64_t between_call = window_call + 2;
inline constexpr std::int64_t fork_call = window_call + 3;
inline constexpr std::int64_t join_call = window_call + 4;
inline constexpr std::int64_t barrier_call = window_call + 5;
/// The call id of the rank's operation that a thread of another location calls. call: the thread's own, 0 or that of a
/// window or of a group.
[[nodiscard]] constexpr std::int64_t call_of_thread(ProcessIndex location, std::int64_t call = 0) noexcept {
  constexpr std::int64_t apart = std::int64_t{1} << 32U;
  const std::int64_t kind = call == window_call ? 1 : call == group_sync_call ? 2 : 0;
  return window_call / 2 - kind * apart - std::int64_t{location};
}

/// Apart from notifications, which have 0.
inline constexpr std::int64_t epoch_tag = 1;

/// 0 is the call id of blocking operations; a request may be any number, a pointer for instance.
[[nodiscard]] constexpr std::int64_t call_of(std::uint64_t request) noexcept {
  return static_cast<std::int64_t>(request == ~std::uint64_t{0} ? request : request + 1);
}

}  // namespace clc::otf2
