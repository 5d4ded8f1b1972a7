// How a rank waits without keeping others from work.
//
//     patience.finish(request);                  // in place of MPI_Wait
//     patience.pause(nth); ... patience.end();   // for anything else: after each look in vain, from nth 0 on
//
// Why   A rank that polls, as in MPI_Wait, takes a processor that other programs or ranks may need. One that yields it
//       to somebody who computes is without it for their slice, of milliseconds; one that sleeps gets it back as soon
//       as it wakes. So a rank yields a few times, for a message that is on its way, and sleeps then; and where a yield
//       has taken that long, it sleeps at once for many waits.
#pragma once

#include <mpi.h>

namespace clc::ranks {

class Patience {
 public:
  /// The nth in succession.
  void pause(unsigned nth);
  /// What was waited for has come.
  void end() noexcept {
    if (waits_asleep_ > 0) --waits_asleep_;
  }
  /// Of a request that no other call has waited for.
  void finish(MPI_Request request);

 private:
  unsigned waits_asleep_ = 0;  // so many more without a yield
};

}  // namespace clc::ranks
