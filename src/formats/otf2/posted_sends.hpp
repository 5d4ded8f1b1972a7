// Non-blocking sends of a run, any of which may turn out to be cancelled, so that there is no message.
//
// Place    Part of EventReader.
// Memory   24 bytes for each event of the run that begins or ends a request.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace clc::otf2 {

class PostedSends {
 public:
  void begin_run() noexcept { requests_.clear(); }
  /// place: of the send in the run.
  void post(std::uint64_t request, std::size_t place) { requests_.push_back({request, place}); }
  /// The request has ended, or is that of something else from now on.
  void end(std::uint64_t request) {
    if (!requests_.empty()) requests_.push_back({request, {}});
  }
  /// So many events were inserted into the run.
  void shift(std::size_t place, std::size_t count) noexcept {
    for (Request& request : requests_)
      if (request.place && *request.place >= place) *request.place += count;
  }
  /// The place of its send in the run; nullopt: there is none under way.
  [[nodiscard]] std::optional<std::size_t> find(std::uint64_t request) const noexcept {
    constexpr std::size_t most = 1024;  // so far is looked back
    const auto first = requests_.rbegin();
    const auto last = first + static_cast<std::ptrdiff_t>(std::min(most, requests_.size()));
    const auto found = std::find_if(first, last, [&](const Request& one) { return one.number == request; });
    return found == last ? std::nullopt : found->place;
  }

 private:
  struct Request {
    std::uint64_t number = 0;
    std::optional<std::size_t> place = {};  ///< none: it has ended
  };
  std::vector<Request> requests_;  ///< in the order of their events
};

}  // namespace clc::otf2
