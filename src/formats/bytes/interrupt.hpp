// Ends a read that waits for input, from another thread.
#pragma once

namespace clc::formats {

class Interrupt {
 public:
  /// What an interrupted read throws. No error: nobody waits for its bytes any more.
  struct Raised {};

  Interrupt() noexcept;
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  ~Interrupt();

  /// False when the system gave no descriptor for it.
  [[nodiscard]] bool works() const noexcept { return event_ >= 0; }
  void raise() noexcept;
  /// Waits until the descriptor can be read. False: interrupted.
  [[nodiscard]] bool wait(int descriptor) const noexcept;

 private:
  int event_;
};

}  // namespace clc::formats
