#include "common/program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <array>
#include <boost/version.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>
#include <utility>

#include "clc/error.hpp"
#include "trace/printable.hpp"

namespace clc::tool {

std::string with_flags(std::string message, std::string_view program) {
  using Names = std::pair<std::string_view, std::string_view>;
  const bool can_keep_going = program == "clc-filter" || program == "clc-filter-mpi";
  const bool can_sort = program == "clc-filter";
  const bool can_convert = can_sort || program == "clc-tracegen";
  const std::array flags{
      Names{"Parameters::bandwidth_mb_s", "--bandwidth"},
      Names{"Parameters::clock_difference_us", "-cldiff"},
      Names{"Parameters::delta_us", "--delta"},
      Names{"Parameters::gamma_max", "--gamma-max"},
      Names{"Parameters::gamma_min", "--gamma-min"},
      Names{"Parameters::match = Match::fifo", "--match fifo"},
      Names{"Parameters::match = Match::resynchronise", "--match resync"},
      Names{"Parameters::match = Match::whole", "--match whole"},
      Names{"Parameters::max_error_percent", "-maxerr"},
      Names{"Parameters::max_memory", "--max-memory"},
      Names{"Parameters::min_delay_us", "-mmd"},
      Names{"Parameters::rule = Rule::thesis", "--regulators-as thesis"},
      Names{"Parameters::wait_limit_s", "--wait-limit"},
      Names{"Report::write_text()", "--report"},
      Names{"RunFacts::max_shift_us", "--max-shift"},
      Names{"SourceOptions::clock_offsets = false", "--ignore-clock-offsets"},
      Names{"SourceOptions::format", "-f"},
      Names{"SourceOptions::keep_going", can_keep_going ? "--keep-going" : "clc-filter --keep-going"},
      Names{"SourceOptions::on_pause", "--online"},
      Names{"SourceOptions::sort_memory", "--max-memory"},
      Names{"SourceOptions::sort_window_us", can_sort ? "--sort-window" : "clc-filter --sort-window"},
      Names{"SourceOptions::thread_delay_us = 0", "--mmd-threads off"},
      Names{"SourceOptions::units_per_second", "--paje-unit"},
      Names{"SinkOptions::clock_offsets", "--write-offsets"},
      Names{"SinkOptions::format", can_convert ? "-F" : "clc-filter -F"},
      Names{"SinkOptions::keep_original", "--keep-original"},
      Names{"SinkOptions::overwrite", "--overwrite"},
      Names{"SinkOptions::zstd_level", "-z"},
      Names{"open_sink()", "-o"},
  };
  constexpr std::string_view assigned = " = ";  // of which the first blank remains
  for (const auto& [option, flag] : flags)
    for (std::size_t at = 0; (at = message.find(option, at)) != std::string::npos; at += flag.size()) {
      message.replace(at, option.size(), flag);
      if (message.compare(at + flag.size(), assigned.size(), assigned) == 0) message.erase(at + flag.size() + 1, 2);
    }
  return message;
}

Verdict with_flags(Verdict verdict) {
  for (Reason& reason : verdict.reasons) reason.text = with_flags(std::move(reason.text));
  return verdict;
}

void say(std::string_view program, std::string_view text) {
  // One write, so that the lines of a pipeline's programs do not mix.
  std::string line = with_flags(std::string(text), program);
  for (char& letter : line)
    if (letter == '\n') letter = ' ';
  line = std::string(program) + ": " + printable(line) + '\n';
  std::cout.flush();
  std::cerr << line << std::flush;
}

namespace {

/// Ends the program as the signal of a closed pipe does.
[[noreturn]] void end_by_broken_pipe() {
  std::signal(SIGPIPE, SIG_DFL);
  std::raise(SIGPIPE);
  std::_Exit(128 + SIGPIPE);  // the signal is blocked
}

}  // namespace

void flush_output() {
  // A text longer than the buffer has failed before.
  const bool has_failed = !std::cout && (errno == ENOSPC || errno == EDQUOT || errno == EFBIG || errno == EBADF);
  const int before = errno;
  errno = 0;
  std::cout.flush();
  if (std::cout) return;
  int error = has_failed ? before : errno;
  // Then ask also whether the reader is gone.
  struct pollfd output = {STDOUT_FILENO, POLLOUT, 0};
  if (error == 0 && ::poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0) error = EPIPE;
  if (error == 0) error = EIO;
  const std::string message = std::string("standard output: cannot be written: ") + std::strerror(error);
  if (error == EPIPE) throw BrokenPipe(message);
  throw OutputError(message);
}

namespace {

int run_and_report(std::string_view program, const std::function<int()>& body) {
  try {
    const int status = body();
    flush_output();
    return status;
  } catch (const BrokenPipe&) {
    end_by_broken_pipe();
  } catch (const UsageError& error) {
    say(program, std::string(error.what()) + " (see " + std::string(program) + " --help)");
    return status_usage;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    say(program, error.what());
    return status_failed;
  }
}

/// Takes no memory.
void say_out_of_memory(std::string_view program, std::string_view remedy) noexcept {
  std::array<char, 160> line{};
  const int size =
      std::snprintf(line.data(), line.size(), "%.*s: out of memory%s%.*s\n", static_cast<int>(program.size()),
                    program.data(), remedy.empty() ? "" : "; ", static_cast<int>(remedy.size()), remedy.data());
  if (size > 0 && ::write(STDERR_FILENO, line.data(), static_cast<std::size_t>(size)) < 0) return;
}

/// A file must not become a standard stream that was closed. Reading from it, or writing, fails as before.
void take_closed_streams() noexcept {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) < 0 && ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) return;
}

}  // namespace

int run_program(std::string_view program, const std::function<int()>& body, std::string_view remedy) {
  take_closed_streams();
  install_signal_handlers();
  try {
    return run_and_report(program, body);
  } catch (const std::bad_alloc&) {  // also on the way to a message
    say_out_of_memory(program, remedy);
    return status_failed;
  }
}

void refuse_to_append_to(std::initializer_list<std::string> inputs) {
  if (!is_open_file("-")) return;
  for (const std::string& input : inputs)
    if (!input.empty() && writes_over(input, "-"))
      throw UsageError("standard output is the input " + input + "; write to another file");
}

bool same_input_twice(const std::string& path) {
  struct stat status {};
  return path != "-" && ::stat(path.c_str(), &status) == 0 && (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode));
}

std::shared_ptr<const KeptInput> kept_if_read_once(const std::string& path, std::optional<Format> format) {
  return same_input_twice(path) ? nullptr : keep_input(path, format);
}

void warn(std::string_view program, std::string_view text) { say(program, "warning: " + std::string(text)); }

void warn(std::string_view program, const Verdict& verdict) {
  for (const Reason& reason : verdict.reasons)
    warn(program, "verdict " + std::string(name_of(reason.judgement)) + ": " + reason.text);
}

void warn(std::string_view program, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) warn(program, line);
}

std::string_view version() noexcept { return CLC_VERSION; }

std::string version_text(std::string_view program) {
  std::string text = std::string(program) + ' ' + CLC_VERSION + "\nformats: ";
  std::string folders;
  std::string libraries = std::string("zstd ") + ZSTD_versionString() + ", Boost " +
                          std::to_string(BOOST_VERSION / 100000) + '.' + std::to_string(BOOST_VERSION / 100 % 1000);
  std::string_view separator;
  for (const Format format : all_formats()) {
    const std::string library = library_of(format);
    if (!is_folder(format)) {
      text += std::string(separator) + std::string(name_of(format));
      separator = ", ";
    } else {
      folders += ", " + std::string(name_of(format));
      if (!available(format)) folders += " (not in this build: without " + library + ')';
    }
    if (available(format) && !library.empty()) libraries += ", " + library;
  }
  return text + " (plain or zstd)" + folders + "\nlibraries: " + libraries + '\n';
}

}  // namespace clc::tool
