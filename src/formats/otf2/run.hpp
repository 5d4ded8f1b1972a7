// A run of events that the reader of a location delivers at once.
//
// Place    Between EventReader and the source of archives.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clc/event.hpp"
#include "clc/io/record.hpp"

namespace clc::otf2 {

/// The body of an added event where others have none.
inline constexpr Body added_body = "+";

/// A stretch of events of one location with their bodies (in the encoding of the binary format).
struct Run {
  std::vector<Event> events;
  std::string bytes;
  std::vector<std::size_t> ends;  ///< of the bodies in bytes; empty: no bodies
  std::vector<char> added;        ///< not 0: events that are not in the archive; may be shorter than events
  std::size_t at = 0;             ///< the next to be taken

  void clear() noexcept {
    events.clear();
    bytes.clear();
    ends.clear();
    added.clear();
    at = 0;
  }
  /// Adds events that are not in the archive ahead of event i. bodies: theirs, up to these ends; or none at all.
  void insert_added(std::size_t i, const std::vector<Event>& more, std::string_view bodies,
                    const std::vector<std::size_t>& body_ends) {
    const auto at_i = static_cast<std::ptrdiff_t>(i);
    added.resize(events.size());
    added.insert(added.begin() + at_i, more.size(), 1);
    events.insert(events.begin() + at_i, more.begin(), more.end());
    if (body_ends.empty()) return;
    const std::size_t begin = i == 0 ? 0 : ends[i - 1];
    bytes.insert(begin, bodies);
    ends.insert(ends.begin() + at_i, body_ends.begin(), body_ends.end());
    for (std::size_t k = 0; k < body_ends.size(); ++k) ends[i + k] += begin;
    for (std::size_t k = i + body_ends.size(); k < ends.size(); ++k) ends[k] += bodies.size();
  }
  /// Makes the bodies anew of the receives that were overtaken.
  void encode_overtaking() {
    std::string old;
    old.swap(bytes);
    std::size_t begin = 0;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      const std::size_t end = ends[i];
      if (events[i].overtakes > 0) {
        Record record = body_decoder().decode(Body(old).substr(begin, end - begin));
        record.event = events[i];
        encode_body(record, bytes);
      } else {
        bytes.append(old, begin, end - begin);
      }
      begin = end;
      ends[i] = bytes.size();
    }
  }
  void replace_body(std::size_t i, std::string_view body) {
    const std::size_t begin = i == 0 ? 0 : ends[i - 1];
    const std::size_t before = ends[i] - begin;
    bytes.replace(begin, before, body);
    for (; i < ends.size(); ++i) ends[i] = ends[i] - before + body.size();
  }
  /// The recorded time kept by an event that has a body.
  [[nodiscard]] std::optional<Time> recorded(std::size_t i) const {
    if (i >= ends.size()) return {};
    return body_decoder().decode(body(i)).recorded;
  }
  [[nodiscard]] bool is_added(std::size_t i) const noexcept { return i < added.size() && added[i] != 0; }
  [[nodiscard]] Body body(std::size_t i) const noexcept {
    if (ends.empty()) return is_added(i) ? added_body : Body();
    const std::size_t begin = i == 0 ? 0 : ends[i - 1];
    return Body(bytes).substr(begin, ends[i] - begin);
  }
};

}  // namespace clc::otf2
