// Runs a fuzzer without libFuzzer: all files given, then changed ones for a while.
//
//     clc-fuzz-text [-max_total_time=SECONDS] [-seed=N] FILE|FOLDER...
//
// Words of libFuzzer that are not known here are ignored. The input that a crash is about is left in the current
// folder as crash-NAME.
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "fuzz.hpp"

namespace {

std::string current;           // NOLINT: for the signal handler
std::string crash = "crash-";  // NOLINT

void keep(int signal) {
  const int fd = ::open(crash.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd >= 0) {
    static_cast<void>(!::write(fd, current.data(), current.size()));
    static_cast<void>(::close(fd));
  }
  static_cast<void>(std::signal(signal, SIG_DFL));
  static_cast<void>(std::raise(signal));
}

void run(std::string input) {
  current = std::move(input);
  // A copy of its own, so that reading behind its end is found.
  const std::vector<std::uint8_t> bytes(current.begin(), current.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

using Random = std::mt19937_64;

std::size_t below(Random& random, std::size_t end) { return end == 0 ? 0 : random() % end; }

std::string changed(const std::vector<std::string>& corpus, Random& random) {
  std::string input = corpus[below(random, corpus.size())];
  for (std::size_t changes = 1 + below(random, 4); changes > 0; --changes) {
    const std::size_t at = below(random, input.size());
    const std::size_t length = below(random, 1 + std::min<std::size_t>(input.size() - at, 32));
    switch (below(random, 7)) {
      case 0:
        if (!input.empty()) input[at] = static_cast<char>(input[at] ^ (1 << below(random, 8)));
        break;
      case 1:
        if (!input.empty()) input[at] = static_cast<char>(random());
        break;
      case 2:
        input.insert(at, 1 + below(random, 8), static_cast<char>(random()));
        break;
      case 3:
        input.erase(at, length);
        break;
      case 4:
        input.insert(at, input.substr(at, length));
        break;
      case 5: {
        const std::string& other = corpus[below(random, corpus.size())];
        input = input.substr(0, at) + other.substr(below(random, other.size()));
        break;
      }
      default:
        input.resize(at);
    }
  }
  return input;
}

}  // namespace

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  double seconds = 0;
  std::uint64_t seed = 1;
  crash += fs::path(argv[0]).filename().string();
  std::vector<std::string> corpus;
  const auto add = [&corpus](const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  };
  std::vector<fs::path> paths;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const std::string value = word.substr(word.find('=') + 1);
    if (word.starts_with("-max_total_time=")) {
      seconds = std::strtod(value.c_str(), nullptr);
    } else if (word.starts_with("-seed=")) {
      seed = std::strtoull(value.c_str(), nullptr, 10);
    } else if (fs::is_directory(word)) {
      for (const fs::directory_entry& entry : fs::directory_iterator(word)) paths.push_back(entry.path());
    } else if (!word.starts_with('-')) {
      paths.emplace_back(word);
    }
  }
  std::sort(paths.begin(), paths.end());
  for (const fs::path& path : paths) add(path);
  if (corpus.empty()) {
    std::fprintf(stderr, "%s: no inputs\n", argv[0]);
    return 2;
  }
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM})
    static_cast<void>(std::signal(signal, keep));
  for (const std::string& input : corpus) run(input);
  Random random(seed);
  std::size_t runs = 0;
  const auto start = std::chrono::steady_clock::now();
  const auto passed = [start] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  for (; passed() < seconds; ++runs) {
    ::alarm(25);  // a run that hangs
    run(changed(corpus, random));
  }
  std::printf("%zu inputs, %zu changed ones in %.1f s\n", corpus.size(), runs, passed());
  return 0;
}
