// The tables of the page as text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "view/figures/figures.hpp"

namespace clc::view {

/// In lines of at most width letters, each with a newline; those after the first are indented. A word longer than a
/// line stays whole.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t width, std::size_t indent = 0);

/// The processes with the most messages that are too early, and the worst violations; columns that do not fit follow
/// below.
[[nodiscard]] std::string draw_text_tables(const Scene& scene, std::size_t width);

}  // namespace clc::view
