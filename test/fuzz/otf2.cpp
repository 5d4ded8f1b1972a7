// OTF2 archives: definitions and events of any content, in files that libotf2 itself has written, read, corrected and
// written; the same of files that were damaged since; and the parts that need no files: clock offsets, corrections,
// times that follow others.
#include <otf2/otf2.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <vector>

#include "clc/error.hpp"
#include "clc/filter.hpp"
#include "clc/io/batch.hpp"
#include "common/corrections.hpp"
#include "fuzz.hpp"
#include "otf2/clock_offsets.hpp"
#include "otf2/library.hpp"
#include "otf2/times.hpp"
#include "trace/offsets.hpp"

namespace {

using namespace clc;
namespace fs = std::filesystem;

OTF2_FlushType flush(void* /*user*/, OTF2_FileType /*type*/, OTF2_LocationRef /*location*/, void* /*caller*/,
                     bool /*final*/) {
  return OTF2_FLUSH;
}

/// A folder that is gone afterwards.
struct Folder {
  fs::path path = fs::temp_directory_path() / ("clc-fuzz-otf2-" + std::to_string(::getpid()));
  Folder() {
    fs::remove_all(path);
    fs::create_directory(path);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code error;
    fs::remove_all(path, error);
  }
};

constexpr std::size_t most_records = 60;

/// Small references, some of which are defined.
std::uint32_t reference(fuzz::Numbers& numbers) {
  const std::uint8_t value = numbers.byte();
  return value >= 0xf0 ? OTF2_UNDEFINED_UINT32 : value % 6U;
}

/// Mostly small: archives with times, offsets or resolutions that are out of range are refused at once.
std::uint64_t quantity(fuzz::Numbers& numbers) { return numbers.byte() == 0xff ? numbers.number() : numbers.bytes(2); }

void write_definitions(fuzz::Numbers& numbers, OTF2_GlobalDefWriter* writer,
                       const std::vector<OTF2_LocationRef>& locations) {
  constexpr OTF2_Paradigm paradigms[] = {OTF2_PARADIGM_MPI, OTF2_PARADIGM_PTHREAD, OTF2_PARADIGM_UNKNOWN};
  for (const OTF2_LocationRef location : locations)
    OTF2_GlobalDefWriter_WriteLocation(writer, location, reference(numbers), OTF2_LOCATION_TYPE_CPU_THREAD,
                                       numbers.below(3), reference(numbers));
  // Windows, and calls with the others.
  for (const std::uint32_t self : {0U, 1U}) OTF2_GlobalDefWriter_WriteRmaWin(writer, self, 0, self, {});
  OTF2_RegionRef call = 4;
  for (const char* name : {"MPI_Win_complete", "MPI_Win_wait"}) {
    OTF2_GlobalDefWriter_WriteString(writer, 100 + call, name);
    OTF2_GlobalDefWriter_WriteRegion(writer, call, 100 + call, 0, 0, OTF2_REGION_ROLE_RMA, OTF2_PARADIGM_MPI,
                                     OTF2_REGION_FLAG_NONE, 0, 0, 0);
    ++call;
  }
  for (std::size_t left = numbers.below(most_records); left > 0; --left) {
    const std::uint32_t self = reference(numbers);
    switch (numbers.below(10)) {
      case 0:
        OTF2_GlobalDefWriter_WriteString(writer, self,
                                         numbers.pick({"", "node", "a b\tc", "x", "\xff\n%process 7", "host"}));
        break;
      case 1:
        OTF2_GlobalDefWriter_WriteClockProperties(writer, quantity(numbers), quantity(numbers), quantity(numbers),
                                                  OTF2_UNDEFINED_TIMESTAMP);
        break;
      case 2:
        OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, self, reference(numbers), reference(numbers),
                                                 reference(numbers));
        break;
      case 3:
        OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(writer, self, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY);
        break;
      case 4:
        OTF2_GlobalDefWriter_WriteLocationGroup(writer, self, reference(numbers), OTF2_LOCATION_GROUP_TYPE_PROCESS,
                                                reference(numbers), reference(numbers));
        break;
      case 5:
        OTF2_GlobalDefWriter_WriteLocation(writer, locations[self % locations.size()], reference(numbers),
                                           static_cast<OTF2_LocationType>(numbers.below(5)), numbers.below(4),
                                           reference(numbers));
        break;
      case 6: {
        std::vector<std::uint64_t> members;
        for (std::size_t n = numbers.below(5); n > 0; --n)
          members.push_back(numbers.flag() ? numbers.below(4) : locations[numbers.below(locations.size())]);
        OTF2_GlobalDefWriter_WriteGroup(writer, self, reference(numbers), static_cast<OTF2_GroupType>(numbers.below(9)),
                                        paradigms[numbers.below(3)], static_cast<OTF2_GroupFlag>(numbers.below(2)),
                                        static_cast<std::uint32_t>(members.size()), members.data());
        break;
      }
      case 7:
        OTF2_GlobalDefWriter_WriteComm(writer, self, reference(numbers), reference(numbers), reference(numbers),
                                       OTF2_COMM_FLAG_NONE);
        break;
      case 8:
        OTF2_GlobalDefWriter_WriteInterComm(writer, self, reference(numbers), reference(numbers), reference(numbers),
                                            reference(numbers), OTF2_COMM_FLAG_NONE);
        break;
      default:
        OTF2_GlobalDefWriter_WriteRegion(writer, self, reference(numbers), 0, 0, OTF2_REGION_ROLE_FUNCTION,
                                         OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, 0, 0, 0);
    }
  }
}

/// long_file: of two chunks.
void write_events(fuzz::Numbers& numbers, OTF2_EvtWriter* writer, bool long_file) {
  std::uint64_t time = quantity(numbers);
  for (int left = long_file ? 14'000 : 0; left > 0; --left) OTF2_EvtWriter_MpiSend(writer, nullptr, ++time, 1, 0, 7, 8);
  for (std::size_t left = numbers.below(most_records); left > 0; --left) {
    time += numbers.flag() ? numbers.bytes(1) : quantity(numbers);
    const std::uint32_t communicator = reference(numbers);
    const std::uint32_t rank = reference(numbers);
    const std::uint32_t tag = numbers.byte();
    switch (numbers.below(10)) {
      case 0:
        if (tag < 0xc0)
          OTF2_EvtWriter_Enter(writer, nullptr, time, rank);
        else
          OTF2_EvtWriter_MpiIrecvRequest(writer, nullptr, time, tag % 4U);
        break;
      case 1:
        if (tag < 0xc0)
          OTF2_EvtWriter_Leave(writer, nullptr, time, rank);
        else if (tag < 0xe0)
          OTF2_EvtWriter_RmaGroupSync(writer, nullptr, time, OTF2_RMA_SYNC_LEVEL_PROCESS, tag % 2U, rank);
        else
          OTF2_EvtWriter_MpiRequestCancelled(writer, nullptr, time, tag % 4U);
        break;
      case 2:
        OTF2_EvtWriter_MpiSend(writer, nullptr, time, rank, communicator, tag, numbers.number());
        break;
      case 3:
        OTF2_EvtWriter_MpiRecv(writer, nullptr, time, rank, communicator, tag, numbers.number());
        break;
      case 4:
        OTF2_EvtWriter_MpiIsend(writer, nullptr, time, rank, communicator, tag, 1, numbers.number());
        break;
      case 5: {
        const std::uint64_t request = numbers.number();
        OTF2_EvtWriter_MpiIrecv(writer, nullptr, time, rank, communicator, tag % 0xc0U, 1,
                                tag < 0xc0 ? request : tag % 4U);
        break;
      }
      case 6:
        OTF2_EvtWriter_MpiCollectiveBegin(writer, nullptr, time);
        break;
      case 7:
        OTF2_EvtWriter_MpiCollectiveEnd(writer, nullptr, time, static_cast<OTF2_CollectiveOp>(tag % 40), communicator,
                                        rank, numbers.number(), numbers.number());
        break;
      case 8:
        OTF2_EvtWriter_NonBlockingCollectiveRequest(writer, nullptr, time, tag % 3U);
        break;
      default:
        OTF2_EvtWriter_NonBlockingCollectiveComplete(writer, nullptr, time, static_cast<OTF2_CollectiveOp>(tag % 40),
                                                     communicator, rank, 1, 1, tag % 3U);
    }
  }
}

/// Snapshots of a location, at any time, whether it has events then or not. long_file: of two chunks.
void write_snapshots(fuzz::Numbers& numbers, OTF2_SnapWriter* writer, bool long_file) {
  std::uint64_t time = quantity(numbers);
  for (std::size_t left = numbers.below(3); left > 0; --left) {
    std::size_t records = numbers.below(4) + (long_file ? 14'000U : 0U);
    OTF2_SnapWriter_SnapshotStart(writer, nullptr, time, records);
    for (; records > 0; --records) {
      const std::uint64_t since = records > 4 ? records : quantity(numbers);
      if (records % 2 == 0)
        OTF2_SnapWriter_Enter(writer, nullptr, time, since, 4);
      else
        OTF2_SnapWriter_MpiSend(writer, nullptr, time, since, 1, 0, 7, 8);
    }
    if (numbers.below(8) != 7) OTF2_SnapWriter_SnapshotEnd(writer, nullptr, time, numbers.byte());
    time += quantity(numbers);
  }
}

/// long_file: of two chunks.
void write_markers(fuzz::Numbers& numbers, OTF2_MarkerWriter* writer, bool long_file) {
  constexpr OTF2_MarkerScope scopes[] = {OTF2_MARKER_SCOPE_GLOBAL, OTF2_MARKER_SCOPE_LOCATION,
                                         OTF2_MARKER_SCOPE_LOCATION_GROUP, OTF2_MARKER_SCOPE_SYSTEM_TREE_NODE,
                                         OTF2_MARKER_SCOPE_COMM};
  OTF2_MarkerWriter_WriteDefMarker(writer, 0, "group", "category", OTF2_SEVERITY_LOW);
  for (std::size_t left = (long_file ? 20'000U : 0U) + numbers.below(6); left > 0; --left) {
    const std::uint64_t time = left > 6 ? left : quantity(numbers);
    OTF2_MarkerWriter_WriteMarker(writer, time, left > 6 ? 0 : quantity(numbers), reference(numbers),
                                  scopes[numbers.below(5)], reference(numbers), "here");
  }
}

void write_thumbnail(OTF2_Archive* archive) {
  const std::uint64_t regions[] = {4, 5};
  OTF2_ThumbWriter* const writer =
      OTF2_Archive_GetThumbWriter(archive, "calls", "of regions", OTF2_THUMBNAIL_TYPE_REGION, 2, 2, regions);
  for (int i = 0; i < 2; ++i) OTF2_ThumbWriter_WriteSample(writer, 7, 2, regions);
}

/// Files beside those of definitions and events: snapshots, markers, a thumbnail.
void write_others(fuzz::Numbers& numbers, OTF2_Archive* archive, const std::vector<OTF2_LocationRef>& locations,
                  bool long_files) {
  if (numbers.flag()) {
    OTF2_Archive_SetNumberOfSnapshots(archive, 2);
    OTF2_Archive_OpenSnapFiles(archive);
    for (const OTF2_LocationRef location : locations) {
      if (numbers.below(4) == 3) continue;
      OTF2_SnapWriter* const snapshots = OTF2_Archive_GetSnapWriter(archive, location);
      write_snapshots(numbers, snapshots, long_files);
      OTF2_Archive_CloseSnapWriter(archive, snapshots);
    }
    OTF2_Archive_CloseSnapFiles(archive);
  }
  if (numbers.flag()) {
    OTF2_MarkerWriter* const markers = OTF2_Archive_GetMarkerWriter(archive);
    write_markers(numbers, markers, long_files);
    OTF2_Archive_CloseMarkerWriter(archive, markers);
  }
  if (numbers.flag()) write_thumbnail(archive);
}

void write_archive(fuzz::Numbers& numbers, const fs::path& folder, bool long_files = false) {
  constexpr std::uint64_t chunk = 256 * 1024;
  OTF2_Archive* const archive = OTF2_Archive_Open(folder.c_str(), "traces", OTF2_FILEMODE_WRITE, chunk, chunk,
                                                  OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  fuzz::require(archive != nullptr, "libotf2 creates no archive");
  static const OTF2_FlushCallbacks callbacks{&flush, nullptr};
  OTF2_Archive_SetFlushCallbacks(archive, &callbacks, nullptr);
  OTF2_Archive_SetSerialCollectiveCallbacks(archive);
  OTF2_Archive_OpenEvtFiles(archive);
  OTF2_Archive_OpenDefFiles(archive);
  std::vector<OTF2_LocationRef> locations;
  for (std::size_t n = 1 + numbers.below(3); n > 0; --n)
    locations.push_back(n == 3 ? std::uint64_t{1} << 40U : n * numbers.below(2));
  std::sort(locations.begin(), locations.end());
  locations.erase(std::unique(locations.begin(), locations.end()), locations.end());
  for (const OTF2_LocationRef location : locations) {
    OTF2_EvtWriter* const events = OTF2_Archive_GetEvtWriter(archive, location);
    write_events(numbers, events, long_files);
    OTF2_Archive_CloseEvtWriter(archive, events);
    OTF2_DefWriter* const definitions = OTF2_Archive_GetDefWriter(archive, location);
    std::uint64_t synchronized = 0;
    for (std::size_t n = numbers.below(4); n > 0; --n) {
      OTF2_DefWriter_WriteClockOffset(definitions, synchronized, static_cast<std::int64_t>(quantity(numbers)) - 0x8000,
                                      0);
      synchronized += quantity(numbers);
    }
    OTF2_Archive_CloseDefWriter(archive, definitions);
  }
  OTF2_Archive_CloseDefFiles(archive);
  OTF2_Archive_CloseEvtFiles(archive);
  write_definitions(numbers, OTF2_Archive_GetGlobalDefWriter(archive), locations);
  write_others(numbers, archive, locations, long_files);
  OTF2_Archive_Close(archive);
}

/// Takes the place of the filter.
void copy(const Batch& batch, Sink& sink) {
  std::vector<Corrected> run;
  for (std::size_t i = 0; i < batch.events.size(); ++i)
    run.push_back({batch.events[i].time, batch.events[i].time, batch.events[i].process, batch.bodies[i]});
  sink.events(run);
}

/// Reads an archive; corrected into another one when `to` is not empty, or with its times and offsets if there are any.
/// Returns the number of events.
std::size_t pass(const fs::path& from, const fs::path& to, bool keep_going = false,
                 const std::optional<Offsets>& offsets = {}) {
  SourceOptions source_options;
  source_options.keep_going = keep_going;
  if (!to.empty()) source_options.output = Format::otf2;
  const OpenedSource opened = open_source(from, source_options);
  SinkOptions options;
  options.format = options.body_format = Format::otf2;
  options.archive = opened.archive;
  if (offsets) options.clock_offsets = std::make_shared<const Offsets>(*offsets);
  std::unique_ptr<Sink> sink;
  std::unique_ptr<Filter> filter;
  if (!to.empty()) {
    sink = open_sink(to, opened.source->definitions(), options);
    if (!offsets) filter = std::make_unique<Filter>(Parameters(), opened.source->definitions(), *sink);
  }
  Batch batch;
  std::size_t events = 0;
  for (bool more = true; more;) {
    more = opened.source->read(batch);
    events += batch.events.size();
    if (filter)
      filter->push(batch.events, batch.bodies);
    else if (sink)
      copy(batch, *sink);
  }
  for (const std::string& warning : opened.source->warnings()) fuzz::require_message(warning);
  if (filter) filter->finish();
  if (sink) sink->close();
  return events;
}

/// Reading may be refused; then nothing is left of what was to be written. `to`: what was read can be written.
void require_refusal_of_input(const Error& error, const fs::path& to) {
  fuzz::require_message(error.what());
  fuzz::require(!fs::exists(to), "an archive is left half written");
  if (std::string_view(error.what()).starts_with(to.native()))
    fuzz::broken(std::string("an archive that can be read cannot be written: ") + error.what());
}

void archives(fuzz::Numbers& numbers) {
  const Folder folder;
  otf2::keep_complaints();
  write_archive(numbers, folder.path / "in");
  static_cast<void>(otf2::take_complaint());
  std::size_t read = 0;
  try {
    read = pass(folder.path / "in", {});
    fuzz::require(pass(folder.path / "in", folder.path / "out") == read, "read twice, the archive is another");
  } catch (const Error& error) {
    require_refusal_of_input(error, folder.path / "out");
    return;
  }
  try {
    fuzz::require(pass(folder.path / "out", {}) == read, "the corrected archive has another number of events");
  } catch (const Error& error) {
    fuzz::broken(std::string("the corrected archive cannot be read: ") + error.what());
  }
  Offsets offsets;
  for (std::uint64_t process = 0; process < 3; ++process) {
    std::vector<OffsetPoint> points;
    for (std::size_t n = numbers.below(4); n > 0; --n)
      points.push_back({Time(static_cast<std::int64_t>(quantity(numbers) - 0x8000)),
                        static_cast<std::int64_t>(quantity(numbers) - 0x8000), 0.5});
    if (!points.empty()) offsets.emplace(process, OffsetLine(points));
  }
  try {
    fuzz::require(pass(folder.path / "in", folder.path / "mapped", false, offsets) == read,
                  "read to be mapped, the archive is another");
  } catch (const OutputError& error) {
    fuzz::require_message(error.what());
    fuzz::require(!fs::exists(folder.path / "mapped"), "an archive is left half written");
    fuzz::require(std::string_view(error.what()).find("makes time run backwards") != std::string_view::npos,
                  error.what());
    return;
  }
  fuzz::require(pass(folder.path / "mapped", {}) == read, "the mapped archive has another number of events");
}

/// Changes bytes, or all behind a place: gone, or zeros, as after a crash.
void damage(fuzz::Numbers& numbers, const fs::path& file) {
  std::ifstream from(file, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(from)), std::istreambuf_iterator<char>());
  for (std::size_t left = 1 + numbers.below(3); left > 0 && !bytes.empty(); --left) {
    const std::uint64_t number = numbers.number();
    // Heads and ends have most to tell.
    const std::size_t place = numbers.flag() ? number % bytes.size() : bytes.size() - 1 - number % bytes.size();
    switch (numbers.below(4)) {
      case 0:
        bytes.resize(place);
        break;
      case 1:
        std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(place), bytes.end(), '\0');
        break;
      default:
        bytes[place] = static_cast<char>(numbers.byte());
    }
  }
  std::ofstream(file, std::ios::binary) << bytes;
}

void damaged_archives(fuzz::Numbers& numbers) {
  const Folder folder;
  otf2::keep_complaints();
  const fs::path in = folder.path / "in";
  write_archive(numbers, in, numbers.below(4) == 0);
  static_cast<void>(otf2::take_complaint());
  std::vector<fs::path> files;
  // Not the anchor, which may ask libotf2 for any amount of memory.
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(in))
    if (entry.is_regular_file() && entry.path().extension() != ".otf2") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  damage(numbers, files[numbers.below(files.size())]);
  const fs::path out = folder.path / "out";
  std::size_t read = 0;
  try {
    read = pass(in, {}, true);
    fuzz::require(pass(in, out, true) == read, "read twice, a damaged archive is another");
  } catch (const Error& error) {
    require_refusal_of_input(error, out);
    return;
  }
  try {
    // Without kinds that libotf2 does not know.
    fuzz::require(pass(out, {}) <= read, "what is saved of a damaged archive has more events than it");
  } catch (const Error& error) {
    fuzz::broken(std::string("what is saved of a damaged archive cannot be read: ") + error.what());
  }
}

void parts(fuzz::Numbers& numbers) {
  constexpr auto most = static_cast<std::uint64_t>(ticks_max);
  otf2::ClockOffsets offsets;
  for (std::size_t n = numbers.below(5); n > 0; --n)
    offsets.add(static_cast<std::int64_t>(numbers.number() & most), static_cast<std::int64_t>(numbers.number()));
  otf2::LocationClock clock(offsets);
  otf2::LocationClock again(offsets);
  formats::Corrections corrections(2);
  std::vector<otf2::TimePair> pairs;
  std::vector<std::int64_t> in_file;
  std::uint64_t time = 0;
  while (!numbers.empty() && pairs.size() < most_records) {
    time += std::min(numbers.number(), most - time);
    otf2::TimePair pair{clock.next(static_cast<std::int64_t>(time)), 0};
    fuzz::require(pair.recorded >= 0, "clock offsets: a negative time");
    fuzz::require(again.at(static_cast<std::int64_t>(time)) == pair.recorded, "clock offsets: two times of an event");
    const std::uint64_t room = most - static_cast<std::uint64_t>(pair.recorded);
    pair.corrected = pair.recorded + static_cast<std::int64_t>(std::min(numbers.number(), room));
    if (!pairs.empty()) pair.corrected = std::max(pair.corrected, pairs.back().corrected);
    pairs.push_back(pair);
    in_file.push_back(static_cast<std::int64_t>(time));
    formats::Corrections::Writer(corrections, 0).add(pair.recorded, pair.corrected);
  }
  corrections.finish();
  formats::Corrections::Reader reader(corrections, 0);
  std::int64_t correction = 0;
  for (const otf2::TimePair& pair : pairs) {
    fuzz::require(reader.next(correction), "a correction is lost");
    fuzz::require(correction == pair.corrected - pair.recorded, "a correction changes");
  }
  fuzz::require(!reader.next(correction), "a correction too many");
  // Of the location itself, with and without questions about other times.
  Archive::Location location;
  location.offsets = offsets;
  for (const bool asks : {false, true}) {
    otf2::LocationTimes own(location.offsets, corrections, 0);
    if (asks && !pairs.empty()) own.ask(pairs[pairs.size() / 2].recorded);
    own.begin();
    for (std::size_t i = 0; i < pairs.size(); ++i)
      fuzz::require(own.next(in_file[i]) == pairs[i].corrected, "an event has another time than its correction says");
    own.check_count("a location");  // throws if corrections are missing, or left
    fuzz::require(!own.decrease(), "corrected times decrease");
    if (!pairs.empty())
      fuzz::require(own.lowest() == pairs.front().corrected && own.highest() == pairs.back().corrected,
                    "the times of a location span more or less than its events");
  }
}

}  // namespace

// What libotf2 itself leaks (names of thumbnails) is no finding.
// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)
extern "C" const char* __lsan_default_suppressions() { return "leak:libopen-trace-format2\n"; }
extern "C" const char* __lsan_default_options() { return "print_suppressions=0"; }
// NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Numbers numbers(data, size);
  switch (numbers.below(4)) {
    case 0:
      archives(numbers);
      break;
    case 1:
      damaged_archives(numbers);
      break;
    default:
      parts(numbers);
  }
  return 0;
}
