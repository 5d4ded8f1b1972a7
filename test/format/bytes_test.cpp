// Files, pipes, devices: temporary names, refusals, errors of the operating system.
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <random>
#include <thread>

#include "clc/error.hpp"
#include "formats/bytes/files.hpp"
#include "formats/bytes/input_buffer.hpp"
#include "support.hpp"

using namespace clc;
using namespace format_test;

namespace {

std::unique_ptr<Sink> text_sink(const std::string& path, const Definitions& definitions) {
  return open_sink(path, definitions, as(Format::text));
}

mode_t mode_of(const std::string& path) {
  struct stat status = {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 0777;
}

}  // namespace

TEST_CASE("a buffer of input has room for its longest entry, and for no more than one read beyond it") {
  class Letters final : public formats::ByteSource {
   public:
    Letters(const std::string& bytes, std::size_t largest) : bytes_(bytes), largest_(largest) {}
    std::size_t read(char* to, std::size_t capacity) override {
      REQUIRE(capacity <= std::min(largest_, formats::InputBuffer::chunk));
      const std::size_t got = bytes_.copy(to, random_() % capacity + 1, at_);
      at_ += got;
      return got;
    }
    [[nodiscard]] std::size_t largest_read() const noexcept override { return largest_; }
    [[nodiscard]] std::uint64_t consumed() const noexcept override { return at_; }
    [[nodiscard]] std::uint64_t total() const noexcept override { return bytes_.size(); }

   private:
    const std::string& bytes_;
    std::size_t largest_;
    std::size_t at_ = 0;
    std::mt19937_64 random_{2};
  };
  std::mt19937_64 random(1);
  std::string all(200'000, ' ');
  for (char& letter : all) letter = static_cast<char>('a' + random() % 26);
  for (const std::size_t largest : {std::size_t{1}, std::size_t{100}, std::size_t{5000}, SIZE_MAX}) {
    const std::size_t longest = 3000;
    formats::InputBuffer buffer(std::make_unique<Letters>(all, largest), longest);
    std::string read;
    for (;;) {
      const std::size_t entry = random() % longest + 1;
      bool more = true;
      while (buffer.size() < entry && more) more = buffer.fill();
      const char* const to = buffer.begin() + std::min(buffer.size(), entry);
      REQUIRE(std::all_of(buffer.end(), buffer.end() + (more ? 0 : formats::InputBuffer::padding),
                          [](char behind) { return behind == 0; }));
      read.append(buffer.begin(), to);
      buffer.consume(to);
      REQUIRE(buffer.offset() == read.size());
      if (!more && buffer.size() == 0) break;
    }
    CHECK(read == all);
  }
}

TEST_CASE("input buffer: zeros stand behind what was read, also if reading fails") {
  class Failing final : public formats::ByteSource {
   public:
    explicit Failing(int good) : good_(good) {}
    std::size_t read(char* to, std::size_t capacity) override {
      std::fill_n(to, capacity, 'x');
      if (good_-- > 0) return 10;
      throw InputError("broken");
    }
    [[nodiscard]] std::uint64_t consumed() const noexcept override { return 0; }
    [[nodiscard]] std::uint64_t total() const noexcept override { return 0; }

   private:
    int good_;
  };
  for (int good = 0; good < 4; ++good) {
    formats::InputBuffer buffer(std::make_unique<Failing>(good), 3000);
    for (int i = 0; i < good; ++i) REQUIRE(buffer.fill());
    CHECK_THROWS_AS(buffer.fill(), InputError);
    CHECK(buffer.size() == static_cast<std::size_t>(10 * good));
    CHECK(std::all_of(buffer.end(), buffer.end() + formats::InputBuffer::padding, [](char each) { return each == 0; }));
  }
}

TEST_CASE("inputs that cannot be opened") {
  const Folder folder;
  CHECK(read_trace("missing").error == "missing: cannot be opened: No such file or directory; check the name");
  CHECK(read_trace(".").error ==
        ".: is a directory without traces, expected files named *.clct, *.clcb or *.trace, or these with .zst; name a "
        "trace file in it");
  CHECK(read_trace("/dev/null").error == "/dev/null: is empty, expected a trace; check the program that wrote it");
  write_file("secret", small_text());
  ::chmod("secret", 0);
  if (::geteuid() != 0)  // root reads everything
    CHECK(read_trace("secret").error == "secret: cannot be opened: Permission denied; check the permissions");
}

TEST_CASE("a file gets its name when it is complete") {
  const Folder folder;
  const Definitions definitions;
  write_file("out.clct", "old");
  ::chmod("out.clct", 0640);
  {
    const std::unique_ptr<Sink> sink = text_sink("out.clct", definitions);
    CHECK(folder.files().size() == 2);
    CHECK(read_file("out.clct") == "old");
    sink->note("# new");
    sink->flush();
    CHECK(read_file("out.clct") == "old");
    sink->close();
    CHECK(folder.files() == std::vector<std::string>{"out.clct"});
  }
  CHECK(read_file("out.clct") == "%clc-trace 1\n# new\n");
  CHECK(mode_of("out.clct") == 0640);
  const mode_t before = ::umask(027);
  text_sink("fresh.clct", definitions)->close();
  ::umask(before);
  CHECK(mode_of("fresh.clct") == 0640);
}

TEST_CASE("output that is not closed leaves nothing behind") {
  const Folder folder;
  const Definitions definitions;
  text_sink("out.clct", definitions)->note("# lost");
  CHECK(folder.files().empty());
}

TEST_CASE("a symbolic link stays a link") {
  const Folder folder;
  const Definitions definitions;
  write_file("real", "old");
  REQUIRE(::symlink("real", "link") == 0);
  text_sink("link", definitions)->close();
  CHECK(read_file("real") == "%clc-trace 1\n");
  struct stat status = {};
  REQUIRE(::lstat("link", &status) == 0);
  CHECK(S_ISLNK(status.st_mode));
}

TEST_CASE("a symbolic link to what is not there yet creates it") {
  const Folder folder;
  const Definitions definitions;
  REQUIRE(::mkdir("folder", 0777) == 0);
  REQUIRE(::symlink("folder/second", "first") == 0);
  REQUIRE(::symlink("../real", "folder/second") == 0);
  REQUIRE(::symlink("loop", "loop") == 0);
  REQUIRE(::symlink("missing/out", "nowhere") == 0);
  text_sink("first", definitions)->close();
  CHECK(read_file("real") == "%clc-trace 1\n");
  CHECK_THROWS_WITH(text_sink("loop", definitions), "loop: cannot be created: Too many levels of symbolic links");
  CHECK_THROWS_WITH(text_sink("nowhere", definitions),
                    "nowhere: cannot be created: No such file or directory; create the folder first");
  for (const char* const link : {"first", "folder/second", "loop", "nowhere"}) {
    CAPTURE(link);
    struct stat status = {};
    REQUIRE(::lstat(link, &status) == 0);
    CHECK(S_ISLNK(status.st_mode));
  }
  CHECK(folder.files() == std::vector<std::string>{"first", "folder", "loop", "nowhere", "real"});
  ::unlink("folder/second");
  ::rmdir("folder");
}

TEST_CASE("what is no trace is written as traces are") {
  const Folder folder;
  write_file("real", "old");
  ::chmod("real", 0600);
  REQUIRE(::symlink("real", "link") == 0);
  {
    OutputFile file("link");
    file.stream() << "lost";
  }
  CHECK(folder.files() == std::vector<std::string>{"link", "real"});
  CHECK(read_file("real") == "old");
  OutputFile file("link");
  const std::string large(1'000'000, 'x');
  file.stream() << "new " << 1 << '\n' << large;
  CHECK(read_file("real") == "old");
  file.close();
  CHECK(read_file("real") == "new 1\n" + large);
  CHECK(mode_of("real") == 0600);
  CHECK(folder.files() == std::vector<std::string>{"link", "real"});
  CHECK_THROWS_WITH(OutputFile("no/out"),
                    "no/out: cannot be created: No such file or directory; create the folder first");
  OutputFile full("/dev/full");
  CHECK_THROWS_WITH(full.stream() << large << std::flush,
                    "/dev/full: cannot be written: No space left on device; make room or write elsewhere");
}

TEST_CASE("outputs that cannot be written") {
  const Folder folder;
  const Definitions definitions;
  CHECK_THROWS_WITH(text_sink("no/out", definitions),
                    "no/out: cannot be created: No such file or directory; create the folder first");
  CHECK_THROWS_WITH(text_sink(".", definitions), ".: is a directory, expected a file; name a file in it");
  const std::unique_ptr<Sink> full = text_sink("/dev/full", definitions);
  CHECK_THROWS_WITH(full->close(),
                    "/dev/full: cannot be written: No space left on device; make room or write elsewhere");
  const std::unique_ptr<Sink> null = text_sink("/dev/null", definitions);
  null->note("# gone");
  null->close();
  struct stat status = {};
  REQUIRE(::stat("/dev/null", &status) == 0);
  CHECK(S_ISCHR(status.st_mode));
}

TEST_CASE("a pipe without reader throws BrokenPipe") {
  struct sigaction ignore = {};
  struct sigaction before = {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, &before);
  Pipe pipe;
  const Definitions definitions;
  const std::unique_ptr<Sink> sink = text_sink(pipe.write_path(), definitions);
  sink->note("# a line");
  pipe.close_read();
  CHECK_THROWS_AS(sink->flush(), BrokenPipe);
  sigaction(SIGPIPE, &before, nullptr);
}

TEST_CASE("pipes that somebody else set to non-blocking are waited for") {
  std::string text = small_text();
  while (text.size() < 300'000) text += "# " + std::string(1000, 'x') + '\n';  // more than a pipe holds
  const Definitions definitions;
  // Standard input and output share their state with others, unlike what is opened by name.
  const int input = ::dup(STDIN_FILENO);
  const int output = ::dup(STDOUT_FILENO);
  const auto non_blocking = [](int from, int to) {
    REQUIRE(::fcntl(from, F_SETFL, ::fcntl(from, F_GETFL) | O_NONBLOCK) == 0);
    REQUIRE(::dup2(from, to) == to);
    ::close(from);
  };
  int to_source[2];
  int from_sink[2];
  REQUIRE(::pipe(to_source) == 0);
  REQUIRE(::pipe(from_sink) == 0);
  std::thread writer([&] {
    for (std::size_t at = 0; at < text.size(); at += 50'000) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      const std::string part = text.substr(at, 50'000);
      for (std::size_t done = 0; done < part.size();) {
        const ssize_t written = ::write(to_source[1], part.data() + done, part.size() - done);
        if (written <= 0) break;
        done += static_cast<std::size_t>(written);
      }
    }
    ::close(to_source[1]);
  });
  std::string received;
  std::thread reader([&] {
    std::array<char, 65536> bytes{};
    for (ssize_t got = 0; (got = ::read(from_sink[0], bytes.data(), bytes.size())) > 0;) {
      received.append(bytes.data(), static_cast<std::size_t>(got));
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    ::close(from_sink[0]);
  });
  non_blocking(to_source[0], STDIN_FILENO);
  non_blocking(from_sink[1], STDOUT_FILENO);
  const std::string error = copy_trace("-", "-", as(Format::text));
  ::dup2(input, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::close(input);
  ::close(output);
  writer.join();
  reader.join();
  CHECK(error == "");
  CHECK(received.size() == text.size());
  CHECK(received == text);
}

TEST_CASE("names of temporary files that are taken are left alone") {
  const Folder folder;
  const Definitions definitions;
  const std::string taken = ".out.clct." + std::to_string(::getpid()) + "-0.tmp";
  write_file(taken, "somebody else's");
  text_sink("out.clct", definitions)->close();
  CHECK(folder.files() == std::vector<std::string>{taken, "out.clct"});
  CHECK(read_file(taken) == "somebody else's");
}

TEST_CASE("binary and compressed traces are not written to a terminal") {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || ::grantpt(terminal) != 0 || ::unlockpt(terminal) != 0) return;  // none to be had here
  const char* const given = ::ptsname(terminal);
  if (given == nullptr || ::access(given, W_OK) != 0) return;
  const std::string name = given;
  const Definitions definitions;
  CHECK_THROWS_AS(open_sink(name, definitions, as(Format::binary)), UsageError);
  SinkOptions compressed = as(Format::text);
  compressed.zstd_level = 3;
  CHECK_THROWS_WITH(
      open_sink(name, definitions, compressed),
      name +
          " is a terminal: binary and compressed traces are not written to it; name a file with open_sink(), "
          "use a pipe, or write text with SinkOptions::format text");
  CHECK_NOTHROW(text_sink(name, definitions));
  ::close(terminal);
}

TEST_CASE("the same file is recognized in any spelling") {
  const Folder folder;
  write_file("a", "x");
  write_file("b", "x");
  REQUIRE(::symlink("a", "s") == 0);
  REQUIRE(::link("a", "h") == 0);
  CHECK(same_file("a", "./a"));
  CHECK(same_file("a", "s"));
  CHECK(same_file("h", "s"));
  CHECK_FALSE(same_file("a", "b"));
  CHECK_FALSE(same_file("a", "missing"));
  CHECK_FALSE(same_file("/dev/null", "/dev/null"));

  REQUIRE(::symlink("missing", "t") == 0);
  CHECK(same_output("missing", "./missing"));
  CHECK(same_output("missing", "t"));
  CHECK(same_output("a", "h"));
  CHECK(same_output("-", "/dev/stdout"));
  CHECK_FALSE(same_output("a", "b"));
  CHECK_FALSE(same_output("missing", "absent"));
  const int a = ::open("a", O_WRONLY | O_CLOEXEC);
  const int b = ::open("b", O_WRONLY | O_CLOEXEC);
  CHECK(same_output("/dev/fd/" + std::to_string(a), "s"));
  CHECK_FALSE(same_output("/dev/fd/" + std::to_string(a), "/dev/fd/" + std::to_string(b)));
  ::close(a);
  ::close(b);
}

TEST_CASE("the files of an archive are recognized, and no others") {
  const Folder folder;
  REQUIRE(::mkdir("run", 0777) == 0);
  REQUIRE(::mkdir("run/traces", 0777) == 0);
  write_file("run/traces.otf2", "#BOTF2 and so on");
  for (const char* file : {"run/traces.def", "run/traces/0.evt", "run/notes", "run/traces2.def"}) write_file(file, "x");
  for (const char* input : {"run", "run/traces.otf2", "./run/"}) {
    CAPTURE(input);
    for (const char* file : {"run/traces.otf2", "./run/traces.def", "run/traces/0.evt"})
      CHECK(writes_over(input, file));
    for (const char* file : {"run/notes", "run/traces2.def", "run/traces/missing", "run/traces.missing", "elsewhere"})
      CHECK_FALSE(writes_over(input, file));
  }
}

TEST_CASE("a descriptor that is open already is written where it is") {
  const Folder folder;
  write_file("log", "earlier\n");
  const int log = ::open("log", O_WRONLY | O_APPEND | O_CLOEXEC);
  REQUIRE(log >= 0);
  const std::string name = "/dev/fd/" + std::to_string(log);
  REQUIRE(::symlink(name.c_str(), "link") == 0);
  for (const std::string& path : {name, std::string("link")}) {
    OutputFile file(path);
    file.stream() << "now\n";
    file.close();
  }
  ::close(log);
  CHECK(read_file("log") == "earlier\nnow\nnow\n");
  CHECK(folder.files() == std::vector<std::string>{"link", "log"});
  const int input = ::open("log", O_RDONLY | O_CLOEXEC);
  CHECK_THROWS_AS(OutputFile("/dev/fd/" + std::to_string(input)), OutputError);
  ::close(input);
  CHECK(read_file("log") == "earlier\nnow\nnow\n");
}

TEST_CASE("a signal removes temporary files and still ends the program") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGUSR1}) {
    const Folder folder;
    write_file("kept", "");
    const pid_t child = ::fork();
    if (child == 0) {
      // Catch's own handlers are for the parent.
      ::signal(signal, SIG_DFL);
      install_signal_handlers();
      const Definitions definitions;
      const std::unique_ptr<Sink> done = text_sink("done", definitions);
      done->close();
      const std::unique_ptr<Sink> sink = text_sink("out", definitions);
      sink->flush();
      ::raise(signal);
      ::_exit(0);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == signal);
    CHECK(folder.files() == std::vector<std::string>{"done", "kept"});
  }
}

TEST_CASE("formats have names") {
  CHECK(format_from_name("text") == Format::text);
  CHECK(format_from_name("binary") == Format::binary);
  CHECK(format_from_name("otf2") == Format::otf2);
  CHECK_FALSE(format_from_name("tape"));
  CHECK(name_of(Format::binary) == "binary");
}

TEST_CASE("conversion needs a decoder") {
  const Folder folder;
  SinkOptions options = as(Format::binary);
  CHECK_THROWS_AS(open_sink("out", Definitions{}, options), UsageError);
}

TEST_CASE("progress is known for files") {
  const Folder folder;
  write_file("t.clct", small_text());
  const OpenedSource opened = open_source("t.clct");
  CHECK(opened.source->bytes_total() == small_text().size());
  CHECK(opened.source->bytes_read() == small_text().size());
}
