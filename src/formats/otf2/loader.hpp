// Makes of the global definitions of an archive what its source delivers: processes with their clocks and nodes,
// regions, communicators, teams of threads.
//
// Place    When an archive is opened. All that is found goes into the archive; the rest is forgotten.
// Cost     In proportion to the definitions: groups that several communicators have are resolved once.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "otf2/archive.hpp"
#include "otf2/global_definitions.hpp"
#include "trace/hash.hpp"

namespace clc {

struct Archive::Loader {
  using LocationDefinition = otf2::GlobalDefinitions::LocationDefinition;
  using Comm = otf2::GlobalDefinitions::Comm;
  using Ranks = otf2::Ranks;

  struct Named {
    std::uint64_t number = 0;
    Ticks min_delay = 0;
  };

  Loader(Archive& owner, otf2::GlobalDefinitions definitions) : archive(owner), defined(std::move(definitions)) {}

  void build();
  void settle_resolution();
  void add_locations();
  void add_location(const LocationDefinition& given);
  /// Accelerators without a creator belong to the only process of their node.
  void adopt_accelerators();
  /// The shared-memory node that a system tree node is in; itself: the archive does not say.
  [[nodiscard]] OTF2_SystemTreeNodeRef node_of(OTF2_SystemTreeNodeRef given) const;
  /// Its group or, of an accelerator, the one that created that. A process that another one created is its own.
  [[nodiscard]] OTF2_LocationGroupRef group_of(const LocationDefinition& given) const;
  /// The locations that read the clock of their group.
  void find_riders();
  void count_threads();
  void find_rank_locations();
  void add_regions();
  void add_window_groups();
  void add_communicators();
  /// nullopt: its members cannot be told.
  [[nodiscard]] std::optional<Ranks> ranks_of(const Comm& comm);
  /// Adds a communicator of all that have a rank. name: in the trace that the archive was made of; null: it was made
  /// otherwise.
  void add_members(const Comm& comm, const Named* name, Ranks& ranks);
  void find_free_numbers();
  void find_own();

  [[nodiscard]] std::string_view string(OTF2_StringRef ref) const { return archive.text(ref); }
  /// The host that a location group stands on; empty: the archive does not say.
  [[nodiscard]] std::string host(OTF2_SystemTreeNodeRef node);
  /// The communicators in the trace that the archive was made of; empty: it was made otherwise.
  [[nodiscard]] std::vector<Named> named() const;
  /// What the members of a group are: found once, for all communicators of the group.
  struct Resolved {
    Members members;
    bool one_process = false;                           ///< they are locations of one process
    std::shared_ptr<const std::vector<bool>> by_index;  ///< for inter-communicators: is a location among them?
  };
  /// Of a group of communication locations; null: it cannot be resolved.
  [[nodiscard]] Resolved* members(OTF2_GroupRef ref);
  [[nodiscard]] std::optional<Members> resolve(OTF2_GroupRef ref) const;

  /// Paradigms of threads.
  [[nodiscard]] bool of_threads(OTF2_Paradigm paradigm) const;
  /// Paradigms whose communicating locations are ranks: not host threads and streams, as with CUDA.
  [[nodiscard]] bool of_ranks(OTF2_Paradigm paradigm) const;
  /// Several threads of one process.
  [[nodiscard]] bool is_team(const Comm& comm);

  Archive& archive;
  otf2::GlobalDefinitions defined;
  HashMap<OTF2_SystemTreeNodeRef, std::string> hosts;  ///< of nodes, as far as was asked
  HashSet<OTF2_LocationRef> riders;
  HashMap<OTF2_LocationGroupRef, ProcessIndex> clocks;  ///< of groups, as far as locations were added
  HashMap<OTF2_GroupRef, std::optional<Resolved>> resolved;
};

}  // namespace clc
