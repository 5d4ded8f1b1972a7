// Which notes of a trace are measured offsets, %sync or %offset; see clc-trace(5). They may stand anywhere, and mean
// the same in any place.
#pragma once

#include <string_view>

namespace clc::formats {

/// The note without the mark of a comment of a Paje trace, "#paje # ", and that line's CR.
[[nodiscard]] inline std::string_view plain_note(std::string_view note) noexcept {
  constexpr std::string_view in_paje = "#paje # ";
  if (!note.starts_with(in_paje)) return note;
  note.remove_prefix(in_paje.size());
  if (note.ends_with('\r')) note.remove_suffix(1);
  return note;
}

[[nodiscard]] inline bool has_first_word(std::string_view line, std::string_view word) noexcept {
  return line.starts_with(word) &&
         (line.size() == word.size() || line[word.size()] == ' ' || line[word.size()] == '\t');
}

/// note: plain.
[[nodiscard]] inline bool is_measurement(std::string_view note) noexcept {
  return has_first_word(note, "%sync") || has_first_word(note, "%offset");
}

}  // namespace clc::formats
