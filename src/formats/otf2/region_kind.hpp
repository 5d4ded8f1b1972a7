// What a region of a new archive is, by its name, as Score-P defines it.
#pragma once

#include <otf2/otf2.h>

#include <string_view>

namespace clc::otf2 {

struct RegionKind {
  OTF2_RegionRole role;
  OTF2_Paradigm paradigm;
};
/// MPI's calls have their role; all others are functions of the user.
[[nodiscard]] RegionKind kind_of_region(std::string_view name);

}  // namespace clc::otf2
