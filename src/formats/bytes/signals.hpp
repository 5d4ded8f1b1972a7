// Signals that end the program, see bytes/files.hpp.
#pragma once

#include <signal.h>

#include <array>

namespace clc::formats {

/// Those that end a program by default and are sent by users, terminals, timers and batch systems.
inline constexpr std::array ending_signals{SIGINT,  SIGTERM, SIGHUP,    SIGQUIT, SIGALRM,
                                           SIGXCPU, SIGPROF, SIGVTALRM, SIGUSR1, SIGUSR2};

/// Removes a file, or the folder of an archive: files, and one folder of files. Takes no memory.
void remove_temporary(const char* path) noexcept;

/// Blocks these signals until the end of its scope, and permanently in threads that are started there. A temporary file
/// can so be created and registered, or renamed, before a signal ends the program.
class SignalsHeld {
 public:
  SignalsHeld() noexcept {
    sigset_t held;
    sigemptyset(&held);
    for (const int signal : ending_signals) sigaddset(&held, signal);
    pthread_sigmask(SIG_BLOCK, &held, &before_);
  }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;
  ~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

}  // namespace clc::formats
