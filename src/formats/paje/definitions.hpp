// The header of a Paje trace: the fields of its events, and their order.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace clc::formats::paje {

/// Events with a meaning; all others are passed on.
enum class Kind : std::uint8_t {
  other,
  define_container_type,
  define_link_type,
  define_type,  ///< of states, variables, events
  define_value,
  create_container,
  destroy_container,
  push_state,
  pop_state,
  start_link,
  end_link,
};

enum class Field : std::uint8_t {
  time,
  type,
  name,
  alias,
  container,
  start_container,
  end_container,
  start_container_type,
  end_container_type,
  value,
  key,
  size,
  recorded,  ///< of type date: the recorded time, if Time is a corrected one
  other,
};

inline constexpr std::size_t known_fields = static_cast<std::size_t>(Field::other);
inline constexpr std::size_t most_fields = 64;

/// One %EventDef.
struct Definition {
  std::string name;  ///< without "Paje"
  Kind kind = Kind::other;
  std::array<std::uint8_t, known_fields> at{};  ///< position of a field, 0 (the event's number): has none
  std::size_t fields = 1;                       ///< with the event's number

  [[nodiscard]] std::size_t position(Field field) const noexcept { return at[static_cast<std::size_t>(field)]; }
  [[nodiscard]] bool has(Field field) const noexcept { return position(field) != 0; }
  /// Definitions are recognised by name; everything with a time is an event.
  [[nodiscard]] bool timed() const noexcept { return has(Field::time) && !defines(); }
  [[nodiscard]] bool defines() const noexcept {
    return kind >= Kind::define_container_type && kind <= Kind::define_value;
  }
  /// A required field that the event lacks; empty: none.
  [[nodiscard]] std::string_view lacks() const noexcept;
};

[[nodiscard]] Kind kind_of(std::string_view event_name) noexcept;
/// A field by its current or former name.
[[nodiscard]] Field field_of(std::string_view name) noexcept;
[[nodiscard]] std::string_view name_of(Field field) noexcept;

}  // namespace clc::formats::paje
