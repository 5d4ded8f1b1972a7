// The header of a Paje trace: the fields of its events, and their order.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace clc::formats::paje {

/// Events that mean something here; all others are carried.
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
  recorded,  ///< of type date: the time that was recorded, where Time is a corrected one
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
  /// Definitions are known by name; what has a time is an event.
  [[nodiscard]] bool timed() const noexcept { return has(Field::time) && !defines(); }
  [[nodiscard]] bool defines() const noexcept {
    return kind >= Kind::define_container_type && kind <= Kind::define_value;
  }
  /// The field without which the event makes no sense and that it lacks; empty: none.
  [[nodiscard]] std::string_view lacks() const noexcept;
};

[[nodiscard]] Kind kind_of(std::string_view event_name) noexcept;
/// By its name of today or of former times.
[[nodiscard]] Field field_of(std::string_view name) noexcept;
[[nodiscard]] std::string_view name_of(Field field) noexcept;

}  // namespace clc::formats::paje
