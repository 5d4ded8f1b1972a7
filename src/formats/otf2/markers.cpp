#include "otf2/markers.hpp"

#include <algorithm>

namespace clc::otf2 {

void Markers::read(OTF2_Reader* reader) {
  if (!archive_.has_markers()) return;
  OTF2_MarkerReader* const from = OTF2_Reader_GetMarkerReader(reader);
  if (from == nullptr) {
    static_cast<void>(archive_.readable([&] { fail_input(archive_.anchor(), "open its markers"); }));
    return;
  }
  const Owned<OTF2_MarkerReaderCallbacks, OTF2_MarkerReaderCallbacks_Delete> callbacks(
      OTF2_MarkerReaderCallbacks_New());
  OTF2_MarkerReaderCallbacks_SetDefMarkerCallback(callbacks.get(), &take_definition);
  OTF2_MarkerReaderCallbacks_SetMarkerCallback(callbacks.get(), &take_marker);
  check_input(OTF2_Reader_RegisterMarkerCallbacks(reader, from, callbacks.get(), this), archive_.anchor(),
              "read its markers");
  static_cast<void>(archive_.readable([&] {
    check_read(archive_.read_part(reader, from, OTF2_Reader_ReadAllMarkers, OTF2_Reader_ReadMarkers,
                                  archive_.file_of(".marker"), Part::markers),
               archive_.anchor(), "read its markers");
  }));
  check_input(OTF2_Reader_CloseMarkerReader(reader, from), archive_.anchor(), "close its markers");
  for (Marker& marker : all_) {
    if (marker.definition || !marker.in_time()) continue;
    marker.location = location_of(marker);
    Times& times = times_[marker.location];
    times[marker.begin()] = 0;
    times[marker.end()] = 0;
  }
}

OTF2_CallbackCode Markers::take_definition(void* user, OTF2_MarkerRef self, const char* group, const char* category,
                                           OTF2_MarkerSeverity severity) {
  Marker& marker = static_cast<Markers*>(user)->all_.emplace_back();
  marker.definition = true;
  marker.self = self;
  marker.group = group;
  marker.category = category;
  marker.severity = severity;
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode Markers::take_marker(void* user, OTF2_TimeStamp time, OTF2_TimeStamp duration, OTF2_MarkerRef self,
                                       OTF2_MarkerScope scope, std::uint64_t scope_ref, const char* text) {
  Marker& marker = static_cast<Markers*>(user)->all_.emplace_back();
  marker.self = self;
  marker.group = text;
  marker.time = time;
  marker.duration = duration;
  marker.scope = scope;
  marker.scope_ref = scope_ref;
  return OTF2_CALLBACK_SUCCESS;
}

ProcessIndex Markers::location_of(const Marker& marker) const {
  const std::vector<Archive::Location>& locations = archive_.locations();
  auto found = locations.end();
  const auto look_for = [&](auto fits) {
    if (found == locations.end()) found = std::find_if(locations.begin(), locations.end(), fits);
  };
  if (marker.scope == OTF2_MARKER_SCOPE_LOCATION)
    look_for([&](const auto& location) { return location.ref == marker.scope_ref; });
  if (marker.scope == OTF2_MARKER_SCOPE_LOCATION_GROUP) {
    look_for([&](const auto& location) { return location.defined_group == marker.scope_ref; });
    look_for([&](const auto& location) { return location.group == marker.scope_ref; });
  }
  look_for([](const auto& location) { return location.communicates; });
  return found == locations.end() ? ProcessIndex{0} : static_cast<ProcessIndex>(found - locations.begin());
}

void Markers::write(OTF2_Archive* writer, const std::string& name) const {
  if (!archive_.has_markers()) return;
  const auto written = [&](OTF2_ErrorCode result) { check_output(result, name, "write the markers"); };
  OTF2_MarkerWriter* const to = OTF2_Archive_GetMarkerWriter(writer);
  if (to == nullptr) fail_output(name, "create the markers");
  for (const Marker& marker : all_) {
    if (marker.definition) {
      written(OTF2_MarkerWriter_WriteDefMarker(to, marker.self, marker.group.c_str(), marker.category.c_str(),
                                               marker.severity));
      continue;
    }
    OTF2_TimeStamp time = marker.time;
    OTF2_TimeStamp duration = marker.duration;
    if (marker.in_time()) {
      const Times& times = times_.at(marker.location);
      time = static_cast<OTF2_TimeStamp>(times.at(marker.begin()));
      duration = static_cast<OTF2_TimeStamp>(times.at(marker.end())) - time;
    }
    written(OTF2_MarkerWriter_WriteMarker(to, time, duration, marker.self, marker.scope, marker.scope_ref,
                                          marker.group.c_str()));
  }
  written(OTF2_Archive_CloseMarkerWriter(writer, to));
}

}  // namespace clc::otf2
