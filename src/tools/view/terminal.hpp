// Draws time lines in a terminal, one line of letters per process, and the tables of the page as text.
#pragma once

#include <cstddef>
#include <string>

#include "view/figures/figures.hpp"

namespace clc::view {

/// width: columns; colour: with escape sequences for terminals.
[[nodiscard]] std::string draw_text(const Scene& scene, std::size_t width, bool colour);

}  // namespace clc::view
