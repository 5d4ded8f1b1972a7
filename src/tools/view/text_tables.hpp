// The tables of the page as text.
#pragma once

#include <string>

#include "view/figures/figures.hpp"

namespace clc::view {

/// The processes with the most messages that are too early, and the worst violations; columns that do not fit are left
/// out from the right.
[[nodiscard]] std::string draw_text_tables(const Scene& scene, std::size_t width);

}  // namespace clc::view
