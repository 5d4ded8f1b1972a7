// The numbers of processes, clocks, communicators and ranks, and the payload of a record.
//
// Indexes  `Definitions` numbers processes and communicators from 0 without gaps.
#pragma once

#include <cstdint>
#include <string_view>

namespace clc {

/// Index of a process (a location) in `Definitions`, from 0 without gaps.
using ProcessIndex = std::uint32_t;
/// Index of a clock: the index of the first process that uses it. Most clocks are used by one process only.
using ClockIndex = ProcessIndex;
/// Index of a communicator in `Definitions`, from 0 without gaps.
using CommunicatorIndex = std::uint32_t;
/// Position of a process in its communicator, from 0.
using Rank = std::uint32_t;

inline constexpr ProcessIndex no_process = 0xffff'ffff;
inline constexpr CommunicatorIndex no_communicator = 0xffff'ffff;
inline constexpr Rank no_rank = 0xffff'ffff;

/// The payload of a record: the bytes that the clock does not need, in the encoding of the format that read them.
using Body = std::string_view;

}  // namespace clc
