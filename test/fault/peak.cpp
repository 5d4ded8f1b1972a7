// The most memory that a program had, and how often its threads waited:   clc-test-peak FILE COMMAND...
//
// Runs the command and writes its peak resident set, in KiB, and the number of its voluntary context switches to the
// file. Ends with the command's status.
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
  std::ofstream(argv[1]) << used.ru_maxrss << ' ' << used.ru_nvcsw << '\n';
  return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
}
