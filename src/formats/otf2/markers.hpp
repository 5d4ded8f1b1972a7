// The markers of an archive that is rewritten: each follows the times of a location.
//
// Memory   All of them, with their texts.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "otf2/archive.hpp"

namespace clc::otf2 {

class Markers {
 public:
  /// Times in the file, and what they become.
  using Times = std::map<std::int64_t, std::int64_t>;

  explicit Markers(Archive& archive) : archive_(archive) {}

  /// Throws InputError.
  void read(OTF2_Reader* reader);
  /// Those that a location has to correct; null: none.
  [[nodiscard]] Times* times_of(ProcessIndex location) {
    const auto found = times_.find(location);
    return found == times_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] const Times* times_of(ProcessIndex location) const {
    const auto found = times_.find(location);
    return found == times_.end() ? nullptr : &found->second;
  }
  /// With corrected times. name: of the output in messages. Throws OutputError.
  void write(OTF2_Archive* writer, const std::string& name) const;

 private:
  /// A marker record, or the definition of one.
  struct Marker {
    bool definition = false;
    OTF2_MarkerRef self = 0;
    std::string group;  ///< or its text
    std::string category;
    OTF2_MarkerSeverity severity = OTF2_SEVERITY_NONE;
    std::uint64_t time = 0;
    std::uint64_t duration = 0;
    OTF2_MarkerScope scope = OTF2_MARKER_SCOPE_GLOBAL;
    std::uint64_t scope_ref = 0;
    ProcessIndex location = 0;  ///< whose times it follows

    /// Others, such as "for ever", are no times of a clock: they stay.
    [[nodiscard]] bool in_time() const noexcept {
      constexpr std::uint64_t latest = std::numeric_limits<std::int64_t>::max();
      return time <= latest && duration <= latest - time;
    }
    [[nodiscard]] std::int64_t begin() const noexcept { return static_cast<std::int64_t>(time); }
    [[nodiscard]] std::int64_t end() const noexcept { return static_cast<std::int64_t>(time + duration); }
  };
  static OTF2_CallbackCode take_definition(void* user, OTF2_MarkerRef self, const char* group, const char* category,
                                           OTF2_MarkerSeverity severity);
  static OTF2_CallbackCode take_marker(void* user, OTF2_TimeStamp time, OTF2_TimeStamp duration, OTF2_MarkerRef self,
                                       OTF2_MarkerScope scope, std::uint64_t scope_ref, const char* text);
  [[nodiscard]] ProcessIndex location_of(const Marker& marker) const;

  Archive& archive_;
  std::vector<Marker> all_;
  std::map<ProcessIndex, Times> times_;  ///< by location
};

}  // namespace clc::otf2
