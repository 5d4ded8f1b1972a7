// Names of processes, and of rows of processes, for people.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "clc/definitions.hpp"

namespace clc::view {

class Names {
 public:
  explicit Names(const Definitions& definitions);

  /// In full, without the kind of location that OTF2 archives put ahead; processes of the same name are counted.
  [[nodiscard]] const std::string& full(std::size_t process) const;
  /// The same of a process by its number in the trace; the number if the trace does not name it.
  [[nodiscard]] std::string of_number(std::uint64_t number) const;
  /// Of as many rows as there are, each of group processes. Where one of them would be longer than longest letters,
  /// what all processes have in common at both ends is left out of all; what is still too long loses its middle.
  [[nodiscard]] std::vector<std::string> rows(std::size_t count, std::size_t group, std::size_t longest) const;
  /// The same for a row alone.
  [[nodiscard]] std::string row(std::size_t row, std::size_t group, std::size_t longest) const;
  /// In full, of a row.
  [[nodiscard]] std::string full_row(std::size_t row, std::size_t group) const;

 private:
  [[nodiscard]] std::string part(std::size_t process) const;

  std::vector<std::string> names_;
  const std::deque<Process>& processes_;
  std::size_t front_ = 0;  ///< bytes that all names have in common
  std::size_t back_ = 0;
};

}  // namespace clc::view
