// The kind of a region in a new archive, derived from its name as Score-P does.
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
