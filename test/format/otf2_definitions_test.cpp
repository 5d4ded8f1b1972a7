// OTF2: definitions that archives of other programs get wrong, each with its message. The archives are written by
// libotf2 itself.
#include <otf2/otf2.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <functional>
#include <vector>

#include "clc/error.hpp"
#include "clc/io/batch.hpp"
#include "otf2/archive.hpp"
#include "otf2/traffic.hpp"
#include "support.hpp"

using namespace clc;
using namespace format_test;

namespace {

void check(OTF2_ErrorCode result) { REQUIRE(result == OTF2_SUCCESS); }

OTF2_FlushType flush(void* /*user*/, OTF2_FileType /*type*/, OTF2_LocationRef /*location*/, void* /*caller*/,
                     bool /*final*/) {
  return OTF2_FLUSH;
}

void node(OTF2_GlobalDefWriter* writer, OTF2_SystemTreeNodeRef ref, OTF2_StringRef name, OTF2_StringRef class_name,
          OTF2_SystemTreeNodeRef parent) {
  check(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, ref, name, class_name, parent));
}

void location_group(OTF2_GlobalDefWriter* writer, OTF2_LocationGroupRef ref, OTF2_SystemTreeNodeRef on,
                    OTF2_LocationGroupRef creator, OTF2_LocationGroupType type = OTF2_LOCATION_GROUP_TYPE_PROCESS) {
  check(OTF2_GlobalDefWriter_WriteLocationGroup(writer, ref, 1 + ref, type, on, creator));
}

/// What an archive holds beside its clock properties and the locations 0 and 1 of one process each.
struct Content {
  std::uint64_t resolution = 1'000'000'000;  ///< 0: no clock properties
  std::vector<OTF2_LocationRef> locations = {0, 1};
  std::function<void(OTF2_GlobalDefWriter*)> definitions = [](OTF2_GlobalDefWriter*) {};
  /// The system tree, and the location groups 0 and 1.
  std::function<void(OTF2_GlobalDefWriter*)> machine = [](OTF2_GlobalDefWriter* writer) {
    node(writer, 0, 0, 0, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    for (const OTF2_LocationGroupRef ref : {0U, 1U}) location_group(writer, ref, 0, OTF2_UNDEFINED_LOCATION_GROUP);
  };
  /// Of the clock of location 0: times, and what is added to them.
  std::vector<std::pair<OTF2_TimeStamp, std::int64_t>> offsets;
  /// Of location 0; returns their number.
  std::function<std::uint64_t(OTF2_EvtWriter*)> events = [](OTF2_EvtWriter*) { return std::uint64_t{0}; };
  /// The same of location 1.
  std::function<std::uint64_t(OTF2_EvtWriter*)> other_events = [](OTF2_EvtWriter*) { return std::uint64_t{0}; };
};

/// Writes the archive "run", with the strings 0 to 9 as "s0" to "s9".
void write_archive(const Content& content) {
  OTF2_Archive* const archive = OTF2_Archive_Open("run", "traces", OTF2_FILEMODE_WRITE, 1 << 18, 1 << 18,
                                                  OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  REQUIRE(archive != nullptr);
  const OTF2_FlushCallbacks callbacks{&flush, nullptr};
  check(OTF2_Archive_SetFlushCallbacks(archive, &callbacks, nullptr));
  check(OTF2_Archive_SetSerialCollectiveCallbacks(archive));
  check(OTF2_Archive_OpenEvtFiles(archive));
  std::array<std::uint64_t, 2> counts{};
  for (const OTF2_LocationRef location : {OTF2_LocationRef{0}, OTF2_LocationRef{1}}) {
    OTF2_EvtWriter* const writer = OTF2_Archive_GetEvtWriter(archive, location);
    REQUIRE(writer != nullptr);
    counts[location] = (location == 0 ? content.events : content.other_events)(writer);
    check(OTF2_Archive_CloseEvtWriter(archive, writer));
  }
  check(OTF2_Archive_CloseEvtFiles(archive));
  if (!content.offsets.empty()) {
    check(OTF2_Archive_OpenDefFiles(archive));
    for (const OTF2_LocationRef location : {OTF2_LocationRef{0}, OTF2_LocationRef{1}}) {
      OTF2_DefWriter* const writer = OTF2_Archive_GetDefWriter(archive, location);
      REQUIRE(writer != nullptr);
      if (location == 0)
        for (const auto& [time, offset] : content.offsets)
          check(OTF2_DefWriter_WriteClockOffset(writer, time, offset, 0));
      check(OTF2_Archive_CloseDefWriter(archive, writer));
    }
    check(OTF2_Archive_CloseDefFiles(archive));
  }
  OTF2_GlobalDefWriter* const writer = OTF2_Archive_GetGlobalDefWriter(archive);
  REQUIRE(writer != nullptr);
  for (OTF2_StringRef i = 0; i < 10; ++i)
    check(OTF2_GlobalDefWriter_WriteString(writer, i, ('s' + std::to_string(i)).c_str()));
  if (content.resolution > 0)
    check(OTF2_GlobalDefWriter_WriteClockProperties(writer, content.resolution, 0, 1000, OTF2_UNDEFINED_TIMESTAMP));
  content.machine(writer);
  for (const OTF2_LocationRef location : content.locations)
    check(OTF2_GlobalDefWriter_WriteLocation(writer, location, 3, OTF2_LOCATION_TYPE_CPU_THREAD,
                                             location < 2 ? counts[location] : 0,
                                             static_cast<OTF2_LocationGroupRef>(location)));
  content.definitions(writer);
  check(OTF2_Archive_Close(archive));
}

struct Found {
  Trace trace;
  std::vector<std::string> warnings;
};

/// What is read of an archive.
Found read(const Content& content, const SourceOptions& options = {}) {
  const Folder folder;
  write_archive(content);
  Found found;
  try {
    const OpenedSource opened = open_source("run", options);
    Batch batch;
    bool more = true;
    while (more) {
      more = opened.source->read(batch);
      found.trace.events.insert(found.trace.events.end(), batch.events.begin(), batch.events.end());
    }
    found.warnings = opened.source->warnings();
  } catch (const Error& error) {
    found.trace.error = error.what();
  }
  return found;
}

void group(OTF2_GlobalDefWriter* writer, OTF2_GroupRef ref, OTF2_GroupType type, std::vector<std::uint64_t> members,
           OTF2_Paradigm paradigm = OTF2_PARADIGM_MPI) {
  check(OTF2_GlobalDefWriter_WriteGroup(writer, ref, 4, type, paradigm, OTF2_GROUP_FLAG_NONE,
                                        static_cast<std::uint32_t>(members.size()), members.data()));
}

void world(OTF2_GlobalDefWriter* writer) {
  group(writer, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, {0, 1});
  group(writer, 1, OTF2_GROUP_TYPE_COMM_GROUP, {0, 1});
  check(OTF2_GlobalDefWriter_WriteComm(writer, 0, 5, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
}

std::uint64_t send(OTF2_EvtWriter* writer, OTF2_TimeStamp time, std::uint32_t receiver, OTF2_CommRef communicator) {
  check(OTF2_EvtWriter_MpiSend(writer, nullptr, time, receiver, communicator, 7, 64));
  return 1;
}

/// Sends at these times.
std::function<std::uint64_t(OTF2_EvtWriter*)> sends_at(std::vector<OTF2_TimeStamp> times) {
  return [times = std::move(times)](OTF2_EvtWriter* writer) {
    std::uint64_t count = 0;
    for (const OTF2_TimeStamp time : times) count += send(writer, time, 1, 0);
    return count;
  };
}

std::vector<Time> times_of(const Trace& trace) {
  std::vector<Time> times;
  for (const Event& event : trace.events) times.push_back(event.time);
  return times;
}

std::uint64_t post(OTF2_EvtWriter* writer, OTF2_TimeStamp time, std::uint64_t request) {
  check(OTF2_EvtWriter_MpiIrecvRequest(writer, nullptr, time, request));
  return 1;
}

std::uint64_t complete(OTF2_EvtWriter* writer, OTF2_TimeStamp time, std::uint32_t sender, std::uint64_t request) {
  check(OTF2_EvtWriter_MpiIrecv(writer, nullptr, time, sender, 0, 7, 64, request));
  return 1;
}

/// How many others the receives overtake.
std::vector<unsigned> overtaken(const Trace& trace) {
  std::vector<unsigned> all;
  for (const Event& event : trace.events)
    if (event.role == Role::receive) all.push_back(event.overtakes);
  return all;
}

std::string unknown(int count) {
  return "run/traces.otf2: " + std::to_string(count) +
         " messages or collective operations name an undefined communicator or rank; they are ignored";
}

}  // namespace

TEST_CASE("OTF2: definitions that are as they should be") {
  Content content;
  content.definitions = world;
  content.events = [](OTF2_EvtWriter* writer) { return send(writer, 1000, 1, 0); };
  const Found found = read(content);
  CHECK(found.trace.error == "");
  CHECK(found.warnings.empty());
  REQUIRE(found.trace.events.size() == 1);
  CHECK(found.trace.events[0].time == Time(1000));
  CHECK(found.trace.events[0].role == Role::send);
  CHECK(found.trace.events[0].peer == 1);
}

TEST_CASE("OTF2: a name of two lines becomes one in text") {
  const Folder folder;
  Content content;
  content.definitions = [](OTF2_GlobalDefWriter* writer) {
    world(writer);
    check(OTF2_GlobalDefWriter_WriteString(writer, 10, "main\nloop"));
    check(OTF2_GlobalDefWriter_WriteRegion(writer, 0, 10, 0, 0, OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER,
                                           OTF2_REGION_FLAG_NONE, 0, 0, 0));
  };
  content.events = [](OTF2_EvtWriter* writer) {
    check(OTF2_EvtWriter_Enter(writer, nullptr, 1000, 0));
    return std::uint64_t{1};
  };
  write_archive(content);
  CHECK(copy_trace("run", "a.clct", as(Format::text)) == "");
  const Trace trace = read_trace("a.clct");
  CHECK(trace.error == "");
  CHECK(trace.bodies == std::vector<std::string>{" 0 E main loop"});
}

namespace {

/// The lines of the processes in text.
std::vector<std::string> lines_of(const Content& content) {
  const Folder folder;
  write_archive(content);
  CHECK(copy_trace("run", "a.clct", as(Format::text)) == "");
  std::vector<std::string> lines;
  for (const auto& [place, line] : read_trace("a.clct").notes)
    if (line.starts_with("%process ")) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("OTF2: whose clock a location group has") {
  constexpr OTF2_LocationGroupRef nobody = OTF2_UNDEFINED_LOCATION_GROUP;
  const auto second = [](OTF2_SystemTreeNodeRef on, OTF2_LocationGroupRef creator, OTF2_LocationGroupType type) {
    Content content;
    content.machine = [=](OTF2_GlobalDefWriter* writer) {
      for (const OTF2_SystemTreeNodeRef ref : {0U, 1U}) {
        node(writer, ref, 5 + ref, 9, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
        check(OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(writer, ref, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY));
      }
      node(writer, 2, 8, 9, 0);  // a part of the first
      location_group(writer, 0, 0, nobody);
      location_group(writer, 1, on, creator, type);
    };
    return content;
  };
  const std::string first = "%process 0 s1:s3 node=s5";
  constexpr auto process = OTF2_LOCATION_GROUP_TYPE_PROCESS;
  constexpr auto accelerator = OTF2_LOCATION_GROUP_TYPE_ACCELERATOR;
  using Lines = std::vector<std::string>;
  // Its own, if it is a process, whoever started that.
  CHECK(lines_of(second(0, 0, process)) == Lines{first, "%process 1 s2:s3 node=s5"});
  // Its creator's, or that of the only process on its node.
  CHECK(lines_of(second(1, 0, accelerator)) == Lines{first, "%process 1 s2:s3 node=s6 clock=0"});
  CHECK(lines_of(second(0, nobody, accelerator)) == Lines{first, "%process 1 s2:s3 node=s5 clock=0"});
  CHECK(lines_of(second(2, nobody, accelerator)) == Lines{first, "%process 1 s2:s3 node=s5 clock=0"});
  CHECK(read(second(0, nobody, accelerator)).warnings.empty());
  // None is on the other node.
  CHECK(lines_of(second(1, nobody, accelerator)) == Lines{first, "%process 1 s2:s3 node=s6"});
  const std::vector<std::string> warnings = read(second(1, nobody, accelerator)).warnings;
  REQUIRE(warnings.size() == 1);
  CHECK(warnings.front() ==
        "run/traces.otf2: location group 1 is an accelerator without a creator: its node does not have exactly one "
        "process, so it is treated as a process with a clock of its own (1 such groups)");
}

TEST_CASE("OTF2: on which node a process is") {
  constexpr OTF2_SystemTreeNodeRef no_parent = OTF2_UNDEFINED_SYSTEM_TREE_NODE;
  constexpr OTF2_LocationGroupRef nobody = OTF2_UNDEFINED_LOCATION_GROUP;
  Content content;
  content.definitions = world;
  CHECK(lines_of(content) == std::vector<std::string>{"%process 0 s1:s3", "%process 1 s2:s3"});

  // A part of the tree with memory of its own, whatever it is called.
  content.machine = [](OTF2_GlobalDefWriter* writer) {
    node(writer, 0, 0, 0, no_parent);
    for (const OTF2_SystemTreeNodeRef ref : {1U, 2U}) {
      node(writer, ref, 4 + ref, 9, 0);
      check(OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(writer, ref, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY));
    }
    node(writer, 3, 8, 9, 1);
    check(OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(writer, 3, OTF2_SYSTEM_TREE_DOMAIN_NUMA));
    location_group(writer, 0, 3, nobody);
    location_group(writer, 1, 2, nobody);
  };
  CHECK(lines_of(content) == std::vector<std::string>{"%process 0 s1:s3 node=s5", "%process 1 s2:s3 node=s6"});

  // A group that stands nowhere is where the one is that created it.
  content.machine = [](OTF2_GlobalDefWriter* writer) {
    node(writer, 0, 5, 9, no_parent);
    check(OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(writer, 0, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY));
    location_group(writer, 0, 0, nobody);
    location_group(writer, 1, no_parent, 0);
  };
  CHECK(lines_of(content) == std::vector<std::string>{"%process 0 s1:s3 node=s5", "%process 1 s2:s3 node=s5"});
}

TEST_CASE("OTF2: times that decrease when the clocks are brought together stay as they are") {
  Content content;
  content.definitions = world;
  content.events = sends_at({1000, 1005, 1010, 2000});
  content.offsets = {{1000, 50}, {1010, 30}, {2000, 30}};
  const Found found = read(content);
  CHECK(found.trace.error == "");
  CHECK(times_of(found.trace) == std::vector<Time>{Time(1050), Time(1045), Time(1040), Time(2030)});
  CHECK(found.warnings.empty());
}

TEST_CASE("OTF2: times that are negative when the clocks are brought together become 0 and are counted") {
  Content content;
  content.definitions = world;
  content.events = sends_at({1000, 1002, 1005, 1010});
  content.offsets = {{0, -1005}};
  const Found found = read(content);
  CHECK(found.trace.error == "");
  CHECK(times_of(found.trace) == std::vector<Time>{Time(0), Time(0), Time(0), Time(5)});
  CHECK(found.warnings == std::vector<std::string>{
                              "run/traces.otf2: 2 events have negative times because of the archive's clock offsets; "
                              "they are set to 0: use SourceOptions::clock_offsets = false"});
}

TEST_CASE("OTF2: receives that are cancelled do not make others be forgotten that were posted before") {
  Content content;
  content.definitions = world;
  content.events = [](OTF2_EvtWriter* writer) {
    std::uint64_t count = post(writer, 1000, 1);
    for (std::uint64_t request = 10; request < 1040; ++request) {
      count += post(writer, 1000, request);
      check(OTF2_EvtWriter_MpiRequestCancelled(writer, nullptr, 1000, request));
      ++count;
    }
    count += post(writer, 1000, 2);
    count += complete(writer, 1001, 1, 2);
    return count + complete(writer, 1002, 1, 1);
  };
  const Found found = read(content);
  CHECK(found.trace.error == "");
  CHECK(overtaken(found.trace) == std::vector<unsigned>{1, 0});
  CHECK(found.warnings.empty());
}

TEST_CASE("OTF2: receives that threads post at one time are in the order of the locations") {
  Content content;
  content.locations = {};
  content.definitions = [](OTF2_GlobalDefWriter* writer) {
    // Both in one process.
    for (const auto& [location, count] : {std::pair(0U, 3U), std::pair(1U, 1U)})
      check(OTF2_GlobalDefWriter_WriteLocation(writer, location, 3, OTF2_LOCATION_TYPE_CPU_THREAD, count, 0));
    group(writer, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, {0});
    group(writer, 1, OTF2_GROUP_TYPE_COMM_GROUP, {0});
    check(OTF2_GlobalDefWriter_WriteComm(writer, 0, 5, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
  };
  content.events = [](OTF2_EvtWriter* writer) {
    std::uint64_t count = post(writer, 1000, 1);
    count += complete(writer, 1001, 0, 2);
    return count + complete(writer, 1002, 0, 1);
  };
  content.other_events = [](OTF2_EvtWriter* writer) { return post(writer, 1000, 2); };
  const Found found = read(content);
  CHECK(found.trace.error == "");
  CHECK(overtaken(found.trace) == std::vector<unsigned>{1, 0});
}

TEST_CASE("OTF2: a team that nobody forked orders nothing") {
  Content content;
  content.machine = [](OTF2_GlobalDefWriter* writer) {
    node(writer, 0, 0, 0, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    location_group(writer, 0, 0, OTF2_UNDEFINED_LOCATION_GROUP);
    location_group(writer, 1, 0, 0, OTF2_LOCATION_GROUP_TYPE_ACCELERATOR);  // in the process of the other
  };
  content.definitions = [](OTF2_GlobalDefWriter* writer) {
    group(writer, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, {0, 1}, OTF2_PARADIGM_OPENMP);
    group(writer, 1, OTF2_GROUP_TYPE_COMM_GROUP, {0, 1}, OTF2_PARADIGM_OPENMP);
    check(OTF2_GlobalDefWriter_WriteComm(writer, 0, 5, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
  };
  content.events = [](OTF2_EvtWriter* writer) {
    check(OTF2_EvtWriter_ThreadTeamBegin(writer, nullptr, 1000, 0));
    check(OTF2_EvtWriter_ThreadTeamEnd(writer, nullptr, 2000, 0));
    return std::uint64_t{2};
  };
  SourceOptions options;
  options.clock_of = ClockOf::location;
  const Found found = read(content, options);
  CHECK(found.trace.error == "");
  CHECK(found.trace.events.size() == 2);
  for (const Event& event : found.trace.events) CHECK(event.role == Role::internal);
  CHECK(found.warnings ==
        std::vector<std::string>{"run/traces.otf2: 1 times a thread entered a team whose members recorded different "
                                 "parallel regions; such a team orders nothing"});
}

TEST_CASE("OTF2: clock properties that are missing or absurd") {
  Content content;
  content.resolution = 0;
  CHECK(read(content).warnings ==
        std::vector<std::string>{"run/traces.otf2: has no clock properties; ticks are assumed to be nanoseconds"});
  content.resolution = 1'000'000'000'001;
  CHECK(read(content).trace.error ==
        "run/traces.otf2: found a clock resolution of 1000000000001 ticks per second, expected at most 1000000000000; "
        "the archive is damaged");
}

TEST_CASE("OTF2: locations that are missing or defined twice") {
  Content content;
  content.locations = {};
  CHECK(read(content).trace.error ==
        "run/traces.otf2: defines no location, expected at least one; record the archive again");
  content.locations = {0, 1, 0};
  content.definitions = world;
  content.events = [](OTF2_EvtWriter* writer) { return send(writer, 1000, 1, 0); };
  const Found found = read(content);
  CHECK(found.trace.events.size() == 1);
  CHECK(found.warnings ==
        std::vector<std::string>{"run/traces.otf2: location 0 is defined twice; the first definition counts"});
}

TEST_CASE("OTF2: communicators whose members cannot be told order nothing") {
  Content content;
  content.events = [](OTF2_EvtWriter* writer) { return send(writer, 1000, 1, 0) + send(writer, 2000, 1, 0); };
  content.definitions = [](OTF2_GlobalDefWriter* writer) {
    group(writer, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, {0, 1});
    check(OTF2_GlobalDefWriter_WriteComm(writer, 0, 5, 99, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
  };
  const Found found = read(content);
  CHECK(found.trace.error == "");
  REQUIRE(found.trace.events.size() == 2);
  CHECK(found.trace.events[0].role == Role::internal);
  REQUIRE(found.warnings.size() == 2);
  CHECK(found.warnings[0] ==
        "run/traces.otf2: the members of communicator 0 cannot be determined; its messages are ignored");
  CHECK(found.warnings[1] == unknown(2));
}

TEST_CASE("OTF2: ranks that a communicator does not have order nothing") {
  Content content;
  content.definitions = world;
  content.events = [](OTF2_EvtWriter* writer) { return send(writer, 1000, 2, 0) + send(writer, 2000, 1, 0); };
  const Found found = read(content);
  REQUIRE(found.trace.events.size() == 2);
  CHECK(found.trace.events[0].role == Role::internal);
  CHECK(found.trace.events[1].role == Role::send);
  CHECK(found.warnings == std::vector<std::string>{unknown(1)});
}

TEST_CASE("OTF2: a time beyond 63 bits is damage, ahead of which all is read") {
  Content content;
  content.definitions = world;
  content.events = [](OTF2_EvtWriter* writer) {
    return send(writer, 1000, 1, 0) + send(writer, std::uint64_t{1} << 63U, 1, 0) +
           send(writer, (std::uint64_t{1} << 63U) + 1, 1, 0);
  };
  const Found found = read(content);
  REQUIRE(found.trace.events.size() == 1);
  CHECK(found.trace.events[0].time == Time(1000));
  CHECK(found.trace.error.find("found a time beyond 2^63 ticks, expected times below it; the archive is damaged") !=
        std::string::npos);
}

TEST_CASE("OTF2: of an archive that processes share, each looks at the files of its own locations alone") {
  const Folder folder;
  Content content;
  content.offsets = {{0, 5}};
  write_archive(content);
  write_file("run/traces/1.def", "damaged");
  CHECK_THROWS_AS(Archive("run", {}), InputError);
  const auto read = [](Archive& archive, const Archive::Chosen& chosen) {
    archive.find_files(chosen);
    archive.expect_definition_files(chosen);
    archive.read_local_definitions(chosen, true);
  };
  Archive first("run", {}, Archive::GlobalOnly());
  read(first, {true, false});
  CHECK(first.locations()[0].event_file);
  CHECK(first.locations()[0].definition_file);
  CHECK(first.locations()[0].offsets.points().size() == 1);
  CHECK_FALSE(first.locations()[1].event_file);
  CHECK_FALSE(first.locations()[1].definition_file);
  Archive second("run", {}, Archive::GlobalOnly());
  CHECK_THROWS_AS(read(second, {false, true}), InputError);
}

TEST_CASE("OTF2: of an archive that processes share, a definition file is missed by the process of its location") {
  const Folder folder;
  Content content;
  content.offsets = {{0, 5}};
  write_archive(content);
  REQUIRE(::unlink("run/traces/1.def") == 0);
  const Archive::Chosen chosen{false, true};
  Archive archive("run", {}, Archive::GlobalOnly());
  archive.find_files(chosen);
  CHECK_NOTHROW(archive.expect_definition_files(chosen));
  archive.locations()[0].definition_file = true;  // as another process tells
  CHECK_THROWS_WITH(archive.expect_definition_files(chosen),
                    Catch::Contains("location 1: its definition file run/traces/1.def is missing"));
}

TEST_CASE("OTF2: to whom locations send messages, from a part of their events") {
  const Folder folder;
  std::string text = "%clc-trace 1\n%process 0 a\n%process 7 b\n%process 8 c\n%group 0 0 7 8\n%group 5 8 0\n";
  const auto send = [&](int time, int from, int to, int communicator) {
    text += std::to_string(time) + ' ' + std::to_string(from) + " S " + std::to_string(to) + ' ' +
            std::to_string(communicator) + " 3 10\n";
  };
  constexpr int events = 3 * otf2::sampled_events;
  send(0, 0, 0, 5);
  for (int i = 0; i < events; ++i) send(i, 7, i % 3 == 0 ? 8 : 0, 0);
  send(events, 0, 8, 5);
  send(events, 8, 8, 0);
  write_file("a.clct", text);
  CHECK(copy_trace("a.clct", "run", as(Format::otf2)) == "");
  const Archive archive("run", {});
  using Sent = std::vector<std::pair<ProcessIndex, std::uint64_t>>;
  CHECK(otf2::sampled_traffic(archive, 0) == Sent{{0, 1}, {2, 1}});
  CHECK(otf2::sampled_traffic(archive, 2) == Sent{{2, 1}});
  // Of the first 4096 events, in a single chunk, 1366 are to the third process; of all of them three times as many.
  CHECK(otf2::sampled_traffic(archive, 1) == Sent{{0, 3 * 2730}, {2, 3 * 1366}});
}

TEST_CASE("OTF2: times of a process that decrease cannot be written") {
  const Folder folder;
  write_file("a.clct", "%clc-trace 1\n%process 0 a\n%process 7 b\n100 7 I x\n90 0 I y\n70 7 I z\n");
  SourceOptions any_order;
  any_order.any_order = true;
  CHECK_THROWS_WITH(copy_trace("a.clct", "out", as(Format::otf2), any_order),
                    "out: found time 70 after time 100 in process 7, expected times in order; an OTF2 archive cannot "
                    "hold others, choose text or binary with SinkOptions::format");
  CHECK(folder.files() == std::vector<std::string>{"a.clct"});
}

TEST_CASE("OTF2: an archive that was read for another format is not written again") {
  const Folder folder;
  write_archive({});
  const OpenedSource opened = open_source("run");
  SinkOptions again = as(Format::otf2);
  again.archive = opened.archive;
  again.decoder = &opened.source->decoder();
  CHECK_THROWS_WITH(open_sink("out", opened.source->definitions(), again),
                    "an archive that is written again is read with SourceOptions::output = Format::otf2");
  SinkOptions undecoded = as(Format::otf2);
  undecoded.body_format = Format::otf2;
  CHECK_THROWS_WITH(open_sink("out", opened.source->definitions(), undecoded),
                    "conversion to another format needs the decoder of the source");
}

TEST_CASE("OTF2: folders that are taken are left alone") {
  const Folder folder;
  write_file("a.clct", "%clc-trace 1\n%process 0 a\n100 0 I x\n");
  const std::string taken = ".out." + std::to_string(::getpid()) + "-0.tmp";
  REQUIRE(::mkdir(taken.c_str(), 0755) == 0);
  write_file(taken + "/mine", "");
  CHECK(copy_trace("a.clct", "out", as(Format::otf2)) == "");
  CHECK(read_trace("out").events.size() == 1);
  REQUIRE(::unlink((taken + "/mine").c_str()) == 0);  // all that was in it
  CHECK(::rmdir(taken.c_str()) == 0);
  CHECK_THROWS_WITH(copy_trace("a.clct", "out", as(Format::otf2)),
                    "out: already exists; name a new folder, or replace the archive in it with SinkOptions::overwrite");
  SinkOptions replace = as(Format::otf2);
  replace.overwrite = true;
  for (const SinkOptions& options : {as(Format::otf2), replace}) {
    CHECK_THROWS_WITH(copy_trace("a.clct", "a.clct", options),
                      "a.clct: already exists and is not a folder; name a new folder for the OTF2 archive");
    for (const char* target : {"out", "nothing"}) {
      REQUIRE(::symlink(target, "link") == 0);
      CHECK_THROWS_WITH(copy_trace("a.clct", "link", options),
                        "link: is a symbolic link, which is not replaced; name the folder it points to");
      REQUIRE(::unlink("link") == 0);
    }
  }
  CHECK_THROWS_WITH(copy_trace("a.clct", "no/out", as(Format::otf2)),
                    "no/out: cannot be created: No such file or directory; create the folder above it first");
}
