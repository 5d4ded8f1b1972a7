// What a program took:   clc-test-peak FILE COMMAND...
//
// Runs the command and writes to the file its peak resident set, in KiB, the number of its voluntary context switches,
// and its processor time, in microseconds. Ends with the command's status.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iostream>

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: clc-test-peak FILE COMMAND...\n";
    return EXIT_FAILURE;
  }
  const pid_t child = fork();
  if (child < 0) return EXIT_FAILURE;
  if (child == 0) {
    execvp(argv[2], argv + 2);
    _exit(127);
  }
  int status = 0;
  rusage used{};
  while (wait4(child, &status, 0, &used) < 0)
    if (errno != EINTR) return EXIT_FAILURE;
  const auto microseconds = [](const timeval& time) { return time.tv_sec * 1'000'000 + time.tv_usec; };
  std::ofstream(argv[1]) << used.ru_maxrss << ' ' << used.ru_nvcsw << ' '
                         << microseconds(used.ru_utime) + microseconds(used.ru_stime) << '\n';
  return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
}
