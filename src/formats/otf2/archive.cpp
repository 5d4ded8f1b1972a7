#include "otf2/archive.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>

#include "common/words.hpp"
#include "otf2/anchor.hpp"
#include "otf2/global_definitions.hpp"
#include "otf2/loader.hpp"
#include "otf2/own.hpp"
#include "trace/heap.hpp"

namespace clc {

namespace {

namespace fs = std::filesystem;
using otf2::check_input;
using otf2::check_read;
using otf2::Owned;

/// Whether a file of an archive is there. Throws InputError when something else has its name: libotf2 would wait for a
/// FIFO without end.
bool is_there(const std::string& file) {
  struct stat status = {};
  if (::stat(file.c_str(), &status) != 0) return false;
  if (S_ISREG(status.st_mode)) return true;
  const char* const what = S_ISFIFO(status.st_mode)   ? "a named pipe"
                           : S_ISDIR(status.st_mode)  ? "a folder"
                           : S_ISSOCK(status.st_mode) ? "a socket"
                                                      : "a device";
  throw InputError(file + ": is " + what + ", expected a regular file; copy the whole archive");
}

[[nodiscard]] bool is_one(const Archive::Chosen& chosen, std::size_t location) {
  return chosen.empty() || chosen[location];
}

}  // namespace

Archive::Archive(const std::string& path, const SourceOptions& options) : Archive(path, options, GlobalOnly()) {
  find_files({});
  expect_definition_files({});
  read_local_definitions({}, options.clock_offsets);
  compare_offsets({});
}

Archive::Archive(const std::string& path, const SourceOptions& options, GlobalOnly)
    : given_{options.keep_going, options.clock_of, options.thread_delay_us} {
  const std::optional<std::string> anchor = otf2::find_anchor(path);
  if (!anchor) {
    std::error_code error;
    if (fs::status(path, error).type() == fs::file_type::not_found)
      throw InputError(path + ": cannot be opened: " + std::strerror(ENOENT) + "; check the name");
    throw InputError(path +
                     ": is not an OTF2 archive, expected an anchor file (NAME.otf2) or its folder; check the name");
  }
  anchor_ = *anchor;
  name_ = fs::path(anchor_).stem().string();
  static_cast<void>(is_there(file_of(".def")));
  reader_ = otf2::open_reader(anchor_);
  std::uint8_t major = 0;
  std::uint8_t minor = 0;
  std::uint8_t bugfix = 0;
  check_input(OTF2_Reader_GetVersion(reader_.get(), &major, &minor, &bugfix), anchor_, "read its version");
  if (major > OTF2_VERSION_MAJOR)
    throw InputError(anchor_ + ": was written by libotf2 " + std::to_string(major) + '.' + std::to_string(minor) + '.' +
                     std::to_string(bugfix) + ", expected at most " + std::to_string(OTF2_VERSION_MAJOR) +
                     "; build this program with a newer libotf2");
  layout_ = otf2::layout_of(reader_.get(), anchor_);
  Loader(*this, otf2::read_global_definitions(*this, texts_)).build();
  read_own_properties();
  static_cast<void>(readable([&] { has_markers_ = is_there(file_of(".marker")); }));
  count_memory();
}

/// Bytes of the definitions that stay.
void Archive::count_memory() {
  definitions_.source_memory = on_heap(locations_) + communicators_.memory() + regions_.memory() + texts_.memory();
}

void Archive::find_files(const Chosen& chosen) {
  std::uint32_t snapshots = 0;
  check_input(OTF2_Reader_GetNumberOfSnapshots(reader_.get(), &snapshots), anchor_, "count its snapshots");
  for (std::size_t i = 0; i < locations_.size(); ++i)
    if (is_one(chosen, i)) find_files(locations_[i], snapshots > 0);
}

void Archive::find_files(Location& location, bool snapshots) {
  const auto find = [&](bool& there, const char* extension) {
    return readable([&] { there = is_there(file_of(location, extension)); });
  };
  if (!find(location.event_file, ".evt")) location.damaged = true;
  if (!find(location.definition_file, ".def")) location.damaged = true;
  if (snapshots) static_cast<void>(find(location.snapshot_file, ".snap"));
  const std::string file = file_of(location, ".evt");
  if (location.event_file) {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(file, error);
    location.bytes = error ? 0 : size;
    location.before_cut = otf2::records_before_cut(file, layout_, otf2::Part::events);
  } else if (location.events_defined > 0 && !location.damaged) {
    location.damaged = !readable([&] {
      throw InputError(name_of(location) + ": its event file " + file + " is missing, expected one with " +
                       std::to_string(location.events_defined) + " events; copy the whole archive");
    });
  }
}

void Archive::expect_definition_files(const Chosen& chosen) {
  if (std::ranges::none_of(locations_, [](const Location& l) { return l.definition_file; })) return;
  for (std::size_t i = 0; i < locations_.size(); ++i) {
    Location& location = locations_[i];
    if (!is_one(chosen, i) || location.definition_file || !location.event_file || location.damaged) continue;
    location.damaged = !readable([&] {
      throw InputError(name_of(location) + ": its definition file " + file_of(location, ".def") +
                       " is missing, expected one as for the other locations; copy the whole archive");
    });
  }
}

void Archive::read_own_properties() {
  const std::vector<otf2::Property> properties = otf2::properties_of(reader(), anchor_);
  const auto property = [&](std::string_view name) -> std::optional<std::string> {
    const auto found = std::ranges::find(properties, name, &otf2::Property::name);
    return found == properties.end() ? std::nullopt : std::optional(found->value);
  };
  const auto ticks = [&](const std::string& name) -> std::optional<std::int64_t> {
    const std::optional<std::string> text = property(name);
    std::int64_t value = 0;
    if (!text) return std::nullopt;
    if (formats::to_number(*text, value) && value >= 0) return value;
    throw InputError(anchor_ + ": found " + formats::in_quotes(*text) + " as property " + name +
                     ", expected ticks, 0 or more; the archive is damaged");
  };
  shift_ = ticks(otf2::own::shift).value_or(0);
  definitions_.min_delay = ticks(otf2::own::min_delay);
  if (definitions_.min_delay) definitions_.node_min_delay = ticks(otf2::own::node_min_delay);
  const auto note = [&](const char* name, const std::string& mark) {
    for (const std::string& line : otf2::own::collected(property(name).value_or(""), texts_, free_.string))
      notes_.push_back(mark + line);
  };
  note(otf2::own::provenance, "%provenance ");
  note(otf2::own::notes, "");
}

void Archive::read_local_definitions(const Chosen& chosen, bool use_clock_offsets) {
  OTF2_Reader* const reader = reader_.get();
  bool any = false;
  for (std::size_t i = 0; i < locations_.size(); ++i) {
    const Location& location = locations_[i];
    // Each that is selected costs libotf2 a look at all others.
    if (!is_one(chosen, i) || !(location.event_file || location.definition_file)) continue;
    check_input(OTF2_Reader_SelectLocation(reader, location.ref), name_of(location), "select it");
    any = any || location.definition_file;
  }
  if (any) check_input(OTF2_Reader_OpenDefFiles(reader), anchor_, "open the definition files");
  const Owned<OTF2_DefReaderCallbacks, OTF2_DefReaderCallbacks_Delete> callbacks(OTF2_DefReaderCallbacks_New());
  OTF2_DefReaderCallbacks_SetMappingTableCallback(callbacks.get(),
                                                  [](void* user, OTF2_MappingType type, const OTF2_IdMap* map) {
                                                    auto& location = *static_cast<Location*>(user);
                                                    if (!location.numbers)
                                                      location.numbers = std::make_unique<otf2::NumberTables>();
                                                    location.numbers->add(type, map);
                                                    return OTF2_CALLBACK_SUCCESS;
                                                  });
  if (use_clock_offsets) {
    OTF2_DefReaderCallbacks_SetClockOffsetCallback(
        callbacks.get(), [](void* user, OTF2_TimeStamp time, std::int64_t offset, double deviation) {
          const bool possible = std::isfinite(deviation) && deviation > 0;
          static_cast<Location*>(user)->offsets.add(static_cast<std::int64_t>(time), offset, possible ? deviation : 0);
          return OTF2_CALLBACK_SUCCESS;
        });
  }
  for (std::size_t i = 0; i < locations_.size(); ++i) {
    Location& location = locations_[i];
    if (!is_one(chosen, i) || !location.definition_file) continue;
    const bool whole = readable([&] {
      OTF2_DefReader* const local = OTF2_Reader_GetDefReader(reader, location.ref);
      if (local == nullptr) otf2::fail_input(name_of(location), "open its definitions");
      check_input(OTF2_Reader_RegisterDefCallbacks(reader, local, callbacks.get(), &location), name_of(location),
                  "read its definitions");
      check_read(read_part(reader, local, OTF2_Reader_ReadAllLocalDefinitions, OTF2_Reader_ReadLocalDefinitions,
                           file_of(location, ".def"), otf2::Part::definitions),
                 name_of(location), "read its definitions");
      check_input(OTF2_Reader_CloseDefReader(reader, local), name_of(location), "close its definitions");
    });
    location.damaged = location.damaged || !whole;
  }
  if (any) check_input(OTF2_Reader_CloseDefFiles(reader), anchor_, "close the definition files");
}

void Archive::compare_offsets(const Chosen& chosen) {
  std::map<std::pair<ClockIndex, OTF2_LocationGroupRef>, ProcessIndex> firsts;
  for (ProcessIndex i = 0; i < locations_.size(); ++i) {
    const Location& location = locations_[i];
    if (!is_one(chosen, i) || location.events_defined == 0) continue;
    const std::pair of(definitions_.processes()[i].clock, location.group);
    const ProcessIndex first = firsts.try_emplace(of, i).first->second;
    if (otf2::agree(location.offsets, locations_[first].offsets)) continue;
    ++oddities.unlike_offsets;
    oddities.first_unlike = std::min(oddities.first_unlike, {i, first});
  }
}

std::string_view Archive::text(OTF2_StringRef ref) const noexcept {
  return texts_.find(ref).value_or(std::string_view());
}

std::string Archive::name_of(const Location& location) const {
  return anchor_ + ": location " + std::to_string(location.ref);
}

std::string Archive::file_of(const Location& location, const char* extension) const {
  return (fs::path(anchor_).parent_path() / name_ / (std::to_string(location.ref) + extension)).string();
}

std::string Archive::file_of(const char* extension) const {
  return (fs::path(anchor_).parent_path() / (name_ + extension)).string();
}

bool Archive::has_folder() const {
  std::error_code error;
  return fs::is_directory(file_of(""), error);
}

namespace otf2 {

std::string library_version() {
  return "libotf2 " + std::to_string(OTF2_VERSION_MAJOR) + '.' + std::to_string(OTF2_VERSION_MINOR) + '.' +
         std::to_string(OTF2_VERSION_BUGFIX);
}

}  // namespace otf2

}  // namespace clc
