// Time lines in a terminal, a line of letters for each process.
#pragma once

#include <cstddef>
#include <string>

#include "view/figures/figures.hpp"

namespace clc::view {

/// width: columns; colour: with escape sequences for terminals.
[[nodiscard]] std::string draw_text(const Scene& scene, std::size_t width, bool colour);

}  // namespace clc::view
