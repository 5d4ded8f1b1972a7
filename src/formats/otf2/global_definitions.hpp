// The global definitions of an archive, as they stand in it: they may refer to each other in any order, so that all are
// kept until the last was read. Strings and the windows of one-sided communication go to the archive itself.
//
// Place    Between libotf2 and loader.hpp, which makes processes and communicators of them.
// Memory   All of them, while the archive is opened.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "otf2/archive.hpp"
#include "otf2/texts.hpp"
#include "trace/hash.hpp"

namespace clc::otf2 {

struct GlobalDefinitions {
  struct Node {
    OTF2_StringRef name;
    OTF2_StringRef class_name;
    OTF2_SystemTreeNodeRef parent;
    bool shared_memory = false;
  };
  struct LocationGroup {
    OTF2_StringRef name;
    OTF2_SystemTreeNodeRef node;
    OTF2_LocationGroupRef creator;
    OTF2_LocationGroupType type;
    [[nodiscard]] bool is_accelerator() const noexcept { return type == OTF2_LOCATION_GROUP_TYPE_ACCELERATOR; }
  };
  struct LocationDefinition {
    OTF2_LocationRef ref;
    OTF2_StringRef name;
    OTF2_LocationType type;
    std::uint64_t events;
    OTF2_LocationGroupRef group;
  };
  struct Group {
    OTF2_GroupType type;
    OTF2_Paradigm paradigm;
    OTF2_GroupFlag flags;
    std::vector<std::uint64_t> members;
  };
  struct Comm {
    OTF2_CommRef ref;
    OTF2_StringRef name;
    OTF2_GroupRef group;
    std::optional<OTF2_GroupRef> remote;
  };

  HashMap<OTF2_SystemTreeNodeRef, Node> nodes;
  HashMap<OTF2_LocationGroupRef, LocationGroup> groups_of_locations;
  std::vector<LocationDefinition> locations;
  std::vector<std::pair<OTF2_RegionRef, OTF2_StringRef>> regions;
  std::vector<std::pair<OTF2_RegionRef, OTF2_Paradigm>> barriers;
  HashMap<OTF2_Paradigm, OTF2_ParadigmClass> paradigms;
  std::vector<std::pair<OTF2_ParameterRef, OTF2_StringRef>> parameters;
  std::vector<std::pair<OTF2_AttributeRef, OTF2_StringRef>> attributes;
  HashMap<OTF2_GroupRef, Group> groups;
  HashMap<OTF2_Paradigm, std::vector<std::uint64_t>> communicating;  ///< locations by paradigm
  std::vector<Comm> comms;
  std::uint64_t resolution = 0;   ///< ticks per second; 0: not defined
  std::set<OTF2_GroupRef> twice;  ///< groups that are defined more than once
};

/// Reads them from an archive that was just opened. texts: gets the strings. Throws InputError.
[[nodiscard]] GlobalDefinitions read_global_definitions(Archive& archive, Texts& texts);

}  // namespace clc::otf2
