// OTF2: definitions that archives of other programs get wrong, each with its message. The archives are written by
// libotf2 itself.
#include <otf2/otf2.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <functional>
#include <vector>

#include "clc/error.hpp"
#include "support.hpp"

using namespace clc;
using namespace format_test;

namespace {

void check(OTF2_ErrorCode result) { REQUIRE(result == OTF2_SUCCESS); }

OTF2_FlushType flush(void* /*user*/, OTF2_FileType /*type*/, OTF2_LocationRef /*location*/, void* /*caller*/,
                     bool /*final*/) {
  return OTF2_FLUSH;
}

/// What an archive holds beside its clock properties and the locations 0 and 1 of one process each.
struct Content {
  std::uint64_t resolution = 1'000'000'000;  ///< 0: no clock properties
  std::vector<OTF2_LocationRef> locations = {0, 1};
  std::function<void(OTF2_GlobalDefWriter*)> definitions = [](OTF2_GlobalDefWriter*) {};
  /// Of location 0; returns their number.
  std::function<std::uint64_t(OTF2_EvtWriter*)> events = [](OTF2_EvtWriter*) { return std::uint64_t{0}; };
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
  std::uint64_t count = 0;
  for (const OTF2_LocationRef location : {OTF2_LocationRef{0}, OTF2_LocationRef{1}}) {
    OTF2_EvtWriter* const writer = OTF2_Archive_GetEvtWriter(archive, location);
    REQUIRE(writer != nullptr);
    if (location == 0) count = content.events(writer);
    check(OTF2_Archive_CloseEvtWriter(archive, writer));
  }
  check(OTF2_Archive_CloseEvtFiles(archive));
  OTF2_GlobalDefWriter* const writer = OTF2_Archive_GetGlobalDefWriter(archive);
  REQUIRE(writer != nullptr);
  for (OTF2_StringRef i = 0; i < 10; ++i)
    check(OTF2_GlobalDefWriter_WriteString(writer, i, ('s' + std::to_string(i)).c_str()));
  if (content.resolution > 0)
    check(OTF2_GlobalDefWriter_WriteClockProperties(writer, content.resolution, 0, 1000, OTF2_UNDEFINED_TIMESTAMP));
  check(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, 0, 0, 0, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
  for (const OTF2_LocationGroupRef group : {0U, 1U})
    check(OTF2_GlobalDefWriter_WriteLocationGroup(writer, group, 1 + group, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                  OTF2_UNDEFINED_LOCATION_GROUP));
  for (const OTF2_LocationRef location : content.locations)
    check(OTF2_GlobalDefWriter_WriteLocation(writer, location, 3, OTF2_LOCATION_TYPE_CPU_THREAD,
                                             location == 0 ? count : 0, static_cast<OTF2_LocationGroupRef>(location)));
  content.definitions(writer);
  check(OTF2_Archive_Close(archive));
}

struct Found {
  Trace trace;
  std::vector<std::string> warnings;
};

/// What is read of an archive.
Found read(const Content& content) {
  const Folder folder;
  write_archive(content);
  Found found;
  try {
    const OpenedSource opened = open_source("run");
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

void group(OTF2_GlobalDefWriter* writer, OTF2_GroupRef ref, OTF2_GroupType type, std::vector<std::uint64_t> members) {
  check(OTF2_GlobalDefWriter_WriteGroup(writer, ref, 4, type, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
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

std::string unknown(int count) {
  return "run/traces.otf2: " + std::to_string(count) +
         " messages or collective operations name a communicator or rank that is not defined; they order nothing";
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

TEST_CASE("OTF2: clock properties that are missing or absurd") {
  Content content;
  content.resolution = 0;
  CHECK(read(content).warnings ==
        std::vector<std::string>{"run/traces.otf2: has no clock properties; ticks are taken as nanoseconds"});
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
        "run/traces.otf2: the members of communicator 0 cannot be told; its messages order nothing");
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

TEST_CASE("OTF2: times beyond 63 bits are refused") {
  Content content;
  content.definitions = world;
  content.events = [](OTF2_EvtWriter* writer) {
    return send(writer, 1000, 1, 0) + send(writer, std::uint64_t{1} << 63U, 1, 0);
  };
  const Found found = read(content);
  CHECK(found.trace.error.find("found a time beyond 2^63 ticks, expected times below it; the archive is damaged") !=
        std::string::npos);
}

TEST_CASE("OTF2: times of a process that decrease cannot be written") {
  const Folder folder;
  write_file("a.clct", "%clc-trace 1\n%process 0 a\n%process 7 b\n100 7 I x\n90 0 I y\n70 7 I z\n");
  SourceOptions any_order;
  any_order.any_order = true;
  CHECK_THROWS_WITH(copy_trace("a.clct", "out", as(Format::otf2), any_order),
                    "out: found time 70 after time 100 in process 7, expected times in order; an OTF2 archive cannot "
                    "hold others, choose text or binary with -F");
  CHECK(folder.files() == std::vector<std::string>{"a.clct"});
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
                    "out: exists already; name a new folder, or replace the archive in it with --overwrite");
  SinkOptions replace = as(Format::otf2);
  replace.overwrite = true;
  CHECK_THROWS_WITH(copy_trace("a.clct", "a.clct", replace),
                    "a.clct: is no folder, expected one with an OTF2 archive to be replaced; name a new folder");
  CHECK_THROWS_WITH(copy_trace("a.clct", "no/out", as(Format::otf2)),
                    "no/out: cannot be created: No such file or directory; create the folder above it first");
}
