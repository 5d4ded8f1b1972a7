// What is written can be read, in both formats.
#include "writer.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "clc/io/batch.hpp"
#include "helpers.hpp"

namespace clc::tracegen::test {
namespace {

struct TemporaryFile {
  std::string path;
  TemporaryFile() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tracegen-XXXXXX").string();
    const int file = mkstemp(pattern.data());
    REQUIRE(file >= 0);
    path = pattern;
    std::filesystem::remove(path);
  }
  ~TemporaryFile() { std::filesystem::remove(path); }
};

/// Writes the run and reads it again; checks every field.
void check_round_trip(const std::string& words, Format format, std::optional<int> level) {
  INFO(words);
  const Run expected = run(words);
  const TemporaryFile file;
  Plan plan;
  const auto program = make_program(expected.settings, plan);
  SinkOptions options;
  options.format = format;
  options.zstd_level = level;
  options.provenance = {"test"};
  {
    TraceWriter writer(file.path, options, expected.settings, plan);
    generate(expected.settings, plan, *program, writer, nullptr);
    writer.close();
  }
  OpenedSource opened = open_source(file.path);
  CHECK(opened.format == format);
  CHECK(opened.zstd_level.has_value() == level.has_value());
  Source& source = *opened.source;
  CHECK(source.definitions().resolution == expected.settings.resolution);
  Batch batch;
  std::size_t i = 0;
  bool more = true;
  while (more) {
    more = source.read(batch);
    for (std::size_t k = 0; k < batch.events.size(); ++k, ++i) {
      REQUIRE(i < expected.recorded.all.size());
      const Placed& placed = expected.recorded.all[i];
      const Event& event = batch.events[k];
      const Record record = source.decoder().decode(batch.bodies[k]);
      const Definitions& definitions = source.definitions();
      REQUIRE(event.time.ticks() == placed.point.time);
      REQUIRE(definitions.processes()[event.process].number == placed.process);
      REQUIRE(record.kind == placed.point.kind);
      switch (placed.point.kind) {
        case Kind::enter:
        case Kind::leave:
          REQUIRE(record.text == region_names[placed.point.region]);
          break;
        case Kind::send:
        case Kind::receive:
          REQUIRE(definitions.processes()[event.peer].number == placed.point.peer);
          REQUIRE(definitions.communicators()[event.communicator].number == placed.point.communicator);
          REQUIRE(event.tag == placed.point.tag);
          REQUIRE(event.bytes == placed.point.bytes);
          break;
        case Kind::collective_end:
          REQUIRE(event.operation == placed.point.operation);
          REQUIRE(definitions.communicators()[event.communicator].number == placed.point.communicator);
          REQUIRE(event.root == placed.point.peer);
          REQUIRE(event.bytes == placed.point.bytes);
          REQUIRE(event.received == placed.point.received);
          REQUIRE(event.tag == placed.point.tag);
          break;
        case Kind::collective_begin:
          REQUIRE(event.tag == placed.point.tag);
          break;
        case Kind::other:
          REQUIRE(record.text == "I step");
          break;
      }
    }
  }
  CHECK(i == expected.recorded.all.size());
}

}  // namespace

TEST_CASE("every kind of record survives writing and reading") {
  for (const Format format : {Format::text, Format::binary})
    for (const std::optional<int> level : {std::optional<int>(), std::optional<int>(1)}) {
      check_round_trip("random --events 5000 --regions --nodes 4 --start epoch", format, level);
      check_round_trip("collectives --events 5000 --nonblocking 30 --start -5000000 --resolution 1000000", format,
                       level);
      check_round_trip("collectives --events 5000 --lose-members 3", format, level);
      check_round_trip("halo --events 20000 --size 5000000000", format, level);
    }
}

TEST_CASE("the header says what is known") {
  const TemporaryFile file;
  const Run r = run("ring -n 3 --nodes 2 --delay 7.5 --events 50 --resolution 10000000");
  Plan plan;
  const auto program = make_program(r.settings, plan);
  SinkOptions options;
  TraceWriter writer(file.path, options, r.settings, plan);
  generate(r.settings, plan, *program, writer, nullptr);
  writer.close();
  std::ifstream in(file.path);
  std::string line;
  std::string header;
  while (std::getline(in, line) && line.starts_with('%')) header += line + '\n';
  CHECK(header ==
        "%clc-trace 1\n"
        "%resolution 10000000\n"
        "%min-delay 75\n"
        "%process 0 rank0 node=node0\n"
        "%process 1 rank1 node=node0\n"
        "%process 2 rank2 node=node1\n"
        "%group 0 0 1 2\n");
}

}  // namespace clc::tracegen::test
