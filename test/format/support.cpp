#include "support.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include "clc/error.hpp"
#include "clc/io/batch.hpp"

namespace format_test {

using namespace clc;

Folder::Folder() {
  std::array<char, 4096> here{};
  if (::getcwd(here.data(), here.size()) == nullptr) throw std::runtime_error("getcwd");
  before_ = here.data();
  path_ = (std::filesystem::temp_directory_path() / "clc-format-XXXXXX").string();
  if (::mkdtemp(path_.data()) == nullptr || ::chdir(path_.c_str()) != 0) throw std::runtime_error("mkdtemp");
}

Folder::~Folder() {
  static_cast<void>(::chdir(before_.c_str()));
  std::error_code error;
  std::filesystem::remove_all(path_, error);
}

std::vector<std::string> Folder::files() const {
  std::vector<std::string> names;
  DIR* const folder = ::opendir(path_.c_str());
  while (const dirent* const entry = ::readdir(folder)) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  ::closedir(folder);
  std::sort(names.begin(), names.end());
  return names;
}

void write_file(const std::string& path, std::string_view content) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  if (!file.flush()) throw std::runtime_error(path + ": cannot be written");
}

bool in_depth() {
  const char* traces = std::getenv("CLC_TRACES");
  return traces == nullptr || std::strtoull(traces, nullptr, 10) >= 100;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  std::ostringstream content;
  content << file.rdbuf();  // in blocks: byte by byte takes minutes in a build with sanitizers
  return std::move(content).str();
}

Pipe::Pipe() {
  if (::pipe(fds_) != 0) throw std::runtime_error("pipe");
}
Pipe::~Pipe() {
  close_write();
  close_read();
}
void Pipe::write(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fds_[1], bytes.data(), bytes.size());
    if (count < 0) throw std::runtime_error("write to pipe");
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}
void Pipe::close_write() {
  if (fds_[1] >= 0) ::close(std::exchange(fds_[1], -1));
}
void Pipe::close_read() {
  if (fds_[0] >= 0) ::close(std::exchange(fds_[0], -1));
}
std::string Pipe::read_path() const { return "/dev/fd/" + std::to_string(fds_[0]); }
std::string Pipe::write_path() const { return "/dev/fd/" + std::to_string(fds_[1]); }
std::string Pipe::drain() const {
  std::string all;
  std::array<char, 4096> some{};
  for (ssize_t count = 0; (count = ::read(fds_[0], some.data(), some.size())) > 0;)
    all.append(some.data(), static_cast<std::size_t>(count));
  return all;
}

Trace read_trace(const std::string& path, const SourceOptions& options) {
  Trace trace;
  try {
    const OpenedSource opened = open_source(path, options);
    Batch batch;
    for (bool more = true; more;) {
      more = opened.source->read(batch);
      for (const Batch::Note& note : batch.notes)
        trace.notes.emplace_back(trace.events.size() + note.before, std::string(note.line));
      trace.events.insert(trace.events.end(), batch.events.begin(), batch.events.end());
      trace.bodies.insert(trace.bodies.end(), batch.bodies.begin(), batch.bodies.end());
      trace.places.insert(trace.places.end(), batch.places.begin(), batch.places.end());
    }
    trace.remarks = opened.source->remarks();
  } catch (const InputError& error) {
    trace.error = error.what();
  }
  return trace;
}

std::string copy_trace(const std::string& from, const std::string& to, SinkOptions sink_options,
                       const SourceOptions& source_options) {
  const OpenedSource opened = open_source(from, source_options);
  sink_options.body_format = opened.format;
  sink_options.decoder = &opened.source->decoder();
  const std::unique_ptr<Sink> sink = open_sink(to, opened.source->definitions(), sink_options);
  std::string error;
  try {
    Batch batch;
    std::vector<Corrected> run;
    for (bool more = true; more;) {
      more = opened.source->read(batch);
      std::size_t next = 0;
      const auto pass = [&](std::size_t end) {
        run.clear();
        for (; next < end; ++next) {
          const Event& event = batch.events[next];
          run.push_back({event.time, event.time, event.process, batch.bodies[next]});
        }
        if (!run.empty()) sink->events(run);
      };
      for (const Batch::Note& note : batch.notes) {
        pass(note.before);
        sink->note(note.line);
      }
      pass(batch.events.size());
    }
  } catch (const InputError& input) {
    error = input.what();
  }
  sink->close();
  return error;
}

namespace {

class RandomText {
 public:
  explicit RandomText(std::uint64_t seed) : random_(seed) {}

  std::string make(int records) {
    text_ = "%clc-trace 1\n";
    if (chance(80))
      text_ += "%resolution " + pick({"1", "1000000", "1000000000", "2500001159", "1000000000000"}) + "\n";
    if (chance(50)) text_ += "%min-delay " + pick({"0", "1000", "9223372036854775807"}) + "\n";
    define_process();
    define_group();
    std::vector<std::int64_t> times;
    const std::int64_t base = std::stoll(pick({"0", "-500", "1700000000000000000", "69081993529138347"}));
    for (int i = 0; i < records; ++i) times.push_back(base + below(chance(50) ? 10 : 1'000'000));
    if (chance(10)) times.insert(times.end(), {INT64_MIN, INT64_MIN, INT64_MAX, INT64_MAX});
    std::sort(times.begin(), times.end());
    for (const std::int64_t time : times) {
      if (chance(10)) note();
      record(time);
    }
    if (chance(50)) note();
    return text_;
  }

 private:
  std::int64_t below(std::int64_t end) { return std::uniform_int_distribution<std::int64_t>(0, end - 1)(random_); }
  bool chance(int percent) { return below(100) < percent; }
  std::string pick(std::vector<std::string> words) {
    return words[static_cast<std::size_t>(below(static_cast<std::int64_t>(words.size())))];
  }
  std::string pick_process() { return pick(processes_); }
  std::string pick_group() { return pick(groups_); }
  std::string number() {
    return chance(50) ? std::to_string(below(300))
                      : pick({"0", "127", "128", "16383", "16384", "2097151", "4294967295", "9007199254740993",
                              "18446744073709551615"});
  }
  std::string signed_number() {
    return chance(50) ? std::to_string(below(300) - 100)
                      : pick({"-1", "-64", "-65", "9223372036854775807", "-9223372036854775808", "63", "64"});
  }

  void define_process() {
    const std::string number = chance(70) ? std::to_string(processes_.size())
                                          : pick({"4294967296", "8589934592", "18446744073709551615", "65536", "77"});
    text_ +=
        "%process " + number + pick({" rank" + number, " a:b(c)", ""}) + pick({"", " node=n1", " node=n2 x=y"}) + "\n";
    processes_.push_back(number);
  }
  void define_group() {
    const std::string number =
        chance(70) ? std::to_string(groups_.size()) : pick({"536870911", "18446744073709551615"});
    std::vector<std::string> members = processes_;
    std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());
    std::shuffle(members.begin(), members.end(), random_);
    text_ += "%group " + number;
    for (const std::string& member : members) text_ += " " + member;
    text_ += pick({"", "", " min-delay=10"}) + "\n";
    groups_.push_back(number);
  }
  void note() {
    switch (below(5)) {
      case 0:
        return define_process();
      case 1:
        return define_group();
      case 2:
        text_ += pick({"# a comment", "#", "%unknown line of a later version", "%provenance someone 1.0 -x"}) + "\n";
        return;
      case 3:
        text_ += pick({"", "   ", "\t# indented"}) + "\n";
        return;
      default:
        text_ += "# " + std::string(static_cast<std::size_t>(below(100'000)), 'x') + "\n";
    }
  }

  void record(std::int64_t time) {
    text_ += std::to_string(time) + ' ' + pick_process() + ' ';
    switch (below(8)) {
      case 0:
        text_ += pick({"E main", "E operator new(unsigned long)", "E", "E \xc3\xa9t\xc3\xa9"});
        break;
      case 1:
        text_ += pick({"L main", "L MPI_Send", "L call=3"});
        break;
      case 2:
      case 3:
        text_ += pick({"S ", "R "}) + (chance(10) ? "-" : pick_process()) + ' ' + pick_group() + ' ' + signed_number() +
                 ' ' + number();
        text_ += pick({"", "", " more fields  here"});
        break;
      case 4:
        text_ += "B" + pick({"", "", " call=17", " call=-1 rest", " callx"});
        break;
      case 5:
        text_ += "X " + std::string(operations[static_cast<std::size_t>(below(17))].name) + ' ' + pick_group() + ' ' +
                 pick({"-", "0", "3", "4294967294"}) + ' ' + number() + ' ' + number() +
                 pick({"", "", " call=9223372036854775807", " call=5 more", " more"});
        break;
      case 6:
        text_ += pick({"X neighbor_alltoall 4 - 8 8", "METRIC 1 2.5", "EX something", "I anything else", "I", "x"});
        break;
      default:
        text_ += "I " + std::string(static_cast<std::size_t>(below(chance(10) ? 200'000 : 50)), 'y');
        if (text_.ends_with(' ')) text_.pop_back();
    }
    if (chance(10)) text_ += " @=" + signed_number();
    text_ += '\n';
  }

  std::mt19937_64 random_;
  std::string text_;
  std::vector<std::string> processes_;
  std::vector<std::string> groups_;
};

}  // namespace

std::string random_text(std::uint64_t seed, int records) { return RandomText(seed).make(records); }

std::string small_text() {
  return "%clc-trace 1\n"
         "%resolution 1000000000\n"
         "%min-delay 1000\n"
         "%process 0 rank0 node=a\n"
         "%process 4294967296 rank1 node=b\n"
         "%group 4 0 4294967296\n"
         "# comment\n"
         "1000 0 E main\n"
         "1200 0 S 4294967296 4 77 8192\n"
         "1300 4294967296 R 0 4 77 8192\n"
         "1400 0 B\n"
         "1410 4294967296 B call=2\n"
         "%later unknown line\n"
         "1500 0 X allreduce 4 - 8 8\n"
         "1500 4294967296 X bcast 4 1 8 16 call=2 further\n"
         "1600 0 I anything else\n"
         "1700 0 S 4294967296 4 -1 18446744073709551615 @=1650\n"
         "1800 0 L main\n";
}

}  // namespace format_test
