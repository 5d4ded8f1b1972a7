// Ends a blocked read from another thread.
#pragma once

namespace clc::formats {

class Interrupt {
 public:
  /// Thrown by an interrupted read. Not an error, since nobody needs its bytes any more.
  struct Raised {};

  Interrupt() noexcept;
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  ~Interrupt();

  /// False if the system provided no descriptor for it.
  [[nodiscard]] bool works() const noexcept { return event_ >= 0; }
  void raise() const noexcept;
  /// Waits until the descriptor is readable. False: interrupted.
  [[nodiscard]] bool wait(int descriptor) const noexcept;

 private:
  int event_;
};

}  // namespace clc::formats
