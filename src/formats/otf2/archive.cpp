#include "otf2/archive.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>

#include "clc/error.hpp"
#include "common/definition_lines.hpp"
#include "common/words.hpp"
#include "otf2/anchor.hpp"
#include "otf2/own.hpp"
#include "trace/hash.hpp"
#include "trace/heap.hpp"

namespace clc {

namespace {

namespace fs = std::filesystem;
using otf2::check_input;
using otf2::check_read;
using otf2::Owned;
using otf2::Ranks;

/// Very many locations may share one name.
constexpr std::size_t longest_name = 1024;

std::string as_word(std::string_view text) { return formats::as_field(text.substr(0, longest_name)); }

/// Whether a file of an archive is there. Throws InputError when something else has its name: libotf2 would wait for a
/// FIFO without end.
bool is_there(const std::string& file) {
  struct stat status = {};
  if (::stat(file.c_str(), &status) != 0) return false;
  if (S_ISREG(status.st_mode)) return true;
  const char* const what = S_ISFIFO(status.st_mode)   ? "a named pipe"
                           : S_ISDIR(status.st_mode)  ? "a folder"
                           : S_ISSOCK(status.st_mode) ? "a socket"
                                                      : "a device";
  throw InputError(file + ": is " + what + ", expected a regular file; copy the whole archive");
}

/// "FIRST SECOND"
bool two_numbers(std::string_view text, std::uint64_t& first, std::uint64_t& second) {
  const std::size_t blank = text.find(' ');
  return blank != std::string_view::npos && formats::to_number(text.substr(0, blank), first) &&
         formats::to_number(text.substr(blank + 1), second);
}

}  // namespace

/// Collects the global definitions; they may refer to each other in any order.
struct Archive::Loader {
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

  struct Named {
    std::uint64_t number = 0;
    Ticks min_delay = 0;
  };

  explicit Loader(Archive& owner) : archive(owner) {}

  static Loader& of(void* user) { return *static_cast<Loader*>(user); }

  void read();
  static void take_places(OTF2_GlobalDefReaderCallbacks* to);
  static void take_names(OTF2_GlobalDefReaderCallbacks* to);
  static void take_communicators(OTF2_GlobalDefReaderCallbacks* to);

  void build();
  void settle_resolution();
  void add_locations();
  void add_location(const LocationDefinition& given);
  /// Its group or, of an accelerator, the one that created that.
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
  /// Several threads of one process.
  [[nodiscard]] bool is_team(const Comm& comm);

  Archive& archive;
  HashMap<OTF2_SystemTreeNodeRef, Node> nodes;
  HashMap<OTF2_SystemTreeNodeRef, std::string> hosts;  ///< of nodes, as far as was asked
  HashMap<OTF2_LocationGroupRef, LocationGroup> groups_of_locations;
  std::vector<LocationDefinition> locations;
  HashSet<OTF2_LocationRef> riders;
  HashMap<OTF2_LocationGroupRef, ProcessIndex> clocks;  ///< of groups, as far as locations were added
  std::vector<std::pair<OTF2_RegionRef, OTF2_StringRef>> regions;
  std::vector<std::pair<OTF2_RegionRef, OTF2_Paradigm>> barriers;
  HashMap<OTF2_Paradigm, OTF2_ParadigmClass> paradigms;
  std::vector<std::pair<OTF2_ParameterRef, OTF2_StringRef>> parameters;
  std::vector<std::pair<OTF2_AttributeRef, OTF2_StringRef>> attributes;
  HashMap<OTF2_GroupRef, Group> groups;
  HashMap<OTF2_GroupRef, std::optional<Resolved>> resolved;
  HashMap<OTF2_Paradigm, std::vector<std::uint64_t>> communicating;  ///< locations by paradigm
  std::vector<Comm> comms;
  std::uint64_t resolution = 0;
  std::set<OTF2_GroupRef> twice;
};

void Archive::Loader::read() {
  OTF2_Reader* const reader = archive.reader();
  OTF2_GlobalDefReader* const definitions = OTF2_Reader_GetGlobalDefReader(reader);
  if (definitions == nullptr) otf2::fail_input(archive.anchor(), "open the global definitions");
  const Owned<OTF2_GlobalDefReaderCallbacks, OTF2_GlobalDefReaderCallbacks_Delete> callbacks(
      OTF2_GlobalDefReaderCallbacks_New());
  take_places(callbacks.get());
  take_names(callbacks.get());
  take_communicators(callbacks.get());
  check_input(OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks.get(), this), archive.anchor(),
              "read the global definitions");
  archive.definitions_damaged = !archive.readable([&] {
    check_read(archive.read_part(reader, definitions, OTF2_Reader_ReadAllGlobalDefinitions,
                                 OTF2_Reader_ReadGlobalDefinitions, archive.file_of(".def"), otf2::Part::definitions),
               archive.anchor(), "read the global definitions");
  });
  archive.texts_.settle();
  OTF2_Reader_CloseGlobalDefReader(reader, definitions);
}

/// When and where: the clock, hosts, processes, threads.
void Archive::Loader::take_places(OTF2_GlobalDefReaderCallbacks* to) {
  OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(
      to, [](void* user, std::uint64_t per_second, std::uint64_t, std::uint64_t, std::uint64_t) {
        of(user).resolution = per_second;
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(
      to, [](void* user, OTF2_SystemTreeNodeRef self, OTF2_StringRef name, OTF2_StringRef class_name,
             OTF2_SystemTreeNodeRef parent) {
        Node& node = of(user).nodes[self];
        node = {name, class_name, parent, node.shared_memory};
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeDomainCallback(
      to, [](void* user, OTF2_SystemTreeNodeRef node, OTF2_SystemTreeDomain domain) {
        const auto found = of(user).nodes.find(node);
        if (found != of(user).nodes.end() && domain == OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY)
          found->second.shared_memory = true;
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(
      to, [](void* user, OTF2_LocationGroupRef self, OTF2_StringRef name, OTF2_LocationGroupType,
             OTF2_SystemTreeNodeRef node, OTF2_LocationGroupRef creator) {
        of(user).groups_of_locations[self] = {name, node, creator};
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(
      to, [](void* user, OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType type, std::uint64_t events,
             OTF2_LocationGroupRef group) {
        of(user).locations.push_back({self, name, type, events, group});
        return OTF2_CALLBACK_SUCCESS;
      });
}

/// Strings, and what they are the names of.
void Archive::Loader::take_names(OTF2_GlobalDefReaderCallbacks* to) {
  OTF2_GlobalDefReaderCallbacks_SetStringCallback(to, [](void* user, OTF2_StringRef self, const char* text) {
    of(user).archive.texts_.add(self, text);
    return OTF2_CALLBACK_SUCCESS;
  });
  OTF2_GlobalDefReaderCallbacks_SetRegionCallback(
      to, [](void* user, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef, OTF2_StringRef, OTF2_RegionRole role,
             OTF2_Paradigm paradigm, OTF2_RegionFlag, OTF2_StringRef, std::uint32_t, std::uint32_t) {
        of(user).regions.emplace_back(self, name);
        if (role == OTF2_REGION_ROLE_BARRIER || role == OTF2_REGION_ROLE_IMPLICIT_BARRIER)
          of(user).barriers.emplace_back(self, paradigm);
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_GlobalDefReaderCallbacks_SetParadigmCallback(
      to, [](void* user, OTF2_Paradigm self, OTF2_StringRef, OTF2_ParadigmClass class_of) {
        of(user).paradigms[self] = class_of;
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_GlobalDefReaderCallbacks_SetParameterCallback(
      to, [](void* user, OTF2_ParameterRef self, OTF2_StringRef name, OTF2_ParameterType) {
        of(user).parameters.emplace_back(self, name);
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(
      to, [](void* user, OTF2_AttributeRef self, OTF2_StringRef name, OTF2_StringRef, OTF2_Type) {
        of(user).attributes.emplace_back(self, name);
        return OTF2_CALLBACK_SUCCESS;
      });
}

/// Who talks to whom.
void Archive::Loader::take_communicators(OTF2_GlobalDefReaderCallbacks* to) {
  OTF2_GlobalDefReaderCallbacks_SetGroupCallback(
      to, [](void* user, OTF2_GroupRef self, OTF2_StringRef, OTF2_GroupType type, OTF2_Paradigm paradigm,
             OTF2_GroupFlag flags, std::uint32_t count, const std::uint64_t* members) {
        Loader& loader = of(user);
        std::vector<std::uint64_t> list(members, members + count);
        if (type == OTF2_GROUP_TYPE_COMM_LOCATIONS) loader.communicating[paradigm] = list;
        const auto [entry, fresh] = loader.groups.try_emplace(self);
        if (!fresh) loader.twice.insert(self);
        // The group of a communicator is no list of all locations, where both have one number.
        if (fresh || entry->second.type == OTF2_GROUP_TYPE_COMM_LOCATIONS || type == entry->second.type)
          entry->second = {type, paradigm, flags, std::move(list)};
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_GlobalDefReaderCallbacks_SetCommCallback(
      to, [](void* user, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group, OTF2_CommRef, OTF2_CommFlag) {
        of(user).comms.push_back({self, name, group, std::nullopt});
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(
      to, [](void* user, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef a, OTF2_GroupRef b, OTF2_CommRef,
             OTF2_CommFlag) {
        of(user).comms.push_back({self, name, a, b});
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_GlobalDefReaderCallbacks_SetRmaWinCallback(
      to, [](void* user, OTF2_RmaWinRef self, OTF2_StringRef, OTF2_CommRef comm, OTF2_RmaWinFlag) {
        of(user).archive.communicators_.define_window(self, comm);
        return OTF2_CALLBACK_SUCCESS;
      });
}

std::string Archive::Loader::host(OTF2_SystemTreeNodeRef node) {
  std::vector<std::string*> below;  // what is being found out
  std::string name;
  for (;;) {
    const auto found = nodes.find(node);
    if (found == nodes.end()) break;
    const auto [known, fresh] = hosts.try_emplace(node);  // in a circle: none
    if (!fresh) {
      name = known->second;
      break;
    }
    below.push_back(&known->second);
    const std::string_view class_name = string(found->second.class_name);
    if (found->second.shared_memory || class_name == "node" || class_name == "host") {
      name = string(found->second.name);
      name = name == otf2::own::no_node ? std::string() : as_word(name);
      break;
    }
    node = found->second.parent;
  }
  for (std::string* const of_node : below) *of_node = name;
  return name;
}

Archive::Loader::Resolved* Archive::Loader::members(OTF2_GroupRef ref) {
  const auto [entry, fresh] = resolved.try_emplace(ref);
  std::optional<Resolved>& known = entry->second;
  if (fresh) {
    if (std::optional<Members> found = resolve(ref)) {
      known.emplace();
      known->members = *std::move(found);
      const std::vector<Location>& all = archive.locations_;
      known->one_process = std::all_of(known->members.begin(), known->members.end(), [&](ProcessIndex member) {
        return all[member].group == all[known->members.front()].group;
      });
    }
  }
  return known ? &*known : nullptr;
}

std::optional<Members> Archive::Loader::resolve(OTF2_GroupRef ref) const {
  const auto group = groups.find(ref);
  if (group == groups.end()) return std::nullopt;
  const bool direct =
      group->second.type != OTF2_GROUP_TYPE_COMM_GROUP || (group->second.flags & OTF2_GROUP_FLAG_GLOBAL_MEMBERS) != 0;
  const auto all = communicating.find(group->second.paradigm);
  if (!direct && all == communicating.end()) return std::nullopt;
  std::vector<ProcessIndex> result;
  result.reserve(group->second.members.size());
  for (const std::uint64_t member : group->second.members) {
    if (!direct && member >= all->second.size()) return std::nullopt;
    const auto index = archive.definitions_.find_process(direct ? member : all->second[member]);
    if (!index) return std::nullopt;
    result.push_back(*index);
  }
  std::vector<ProcessIndex> sorted = result;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return std::nullopt;
  return Members(result);
}

bool Archive::Loader::of_threads(OTF2_Paradigm paradigm) const {
  const auto found = paradigms.find(paradigm);
  if (found != paradigms.end())
    return found->second == OTF2_PARADIGM_CLASS_THREAD_FORK_JOIN ||
           found->second == OTF2_PARADIGM_CLASS_THREAD_CREATE_WAIT;
  switch (paradigm) {
    case OTF2_PARADIGM_OPENMP:
    case OTF2_PARADIGM_PTHREAD:
    case OTF2_PARADIGM_OMPSS:
    case OTF2_PARADIGM_WINTHREAD:
    case OTF2_PARADIGM_QTTHREAD:
    case OTF2_PARADIGM_ACETHREAD:
    case OTF2_PARADIGM_TBBTHREAD:
    case OTF2_PARADIGM_MTAPI:
      return true;
    default:
      return false;
  }
}

bool Archive::Loader::is_team(const Comm& comm) {
  if (comm.remote || !of_threads(groups.at(comm.group).paradigm)) return false;
  const Resolved* const group = members(comm.group);
  return group->members.size() > 1 && group->one_process;
}

std::vector<Archive::Loader::Named> Archive::Loader::named() const {
  std::vector<Named> all;
  std::set<std::uint64_t> different;
  const std::string_view before = otf2::own::communicator;
  const std::string_view between = otf2::own::communicator_delay;
  for (const Comm& comm : comms) {
    const std::string_view name = string(comm.name);
    if (!name.starts_with(before)) return {};
    const std::string_view rest = name.substr(before.size());
    const std::size_t end = rest.find(between);
    Named found;
    if (!formats::to_number(rest.substr(0, end), found.number) || !different.insert(found.number).second) return {};
    if (end != std::string_view::npos && !formats::to_number(rest.substr(end + between.size()), found.min_delay))
      return {};
    all.push_back(found);
  }
  return all;
}

void Archive::Loader::build() {
  settle_resolution();
  add_locations();
  add_regions();
  if (archive.communicators_.has_windows()) add_window_groups();
  add_communicators();
  find_rank_locations();
  find_free_numbers();
  find_own();
  for (const OTF2_GroupRef ref : twice)
    archive.oddities.push_back(archive.anchor() + ": group " + std::to_string(ref) +
                               " is defined more than once; each definition is used for its purpose");
}

void Archive::Loader::settle_resolution() {
  Definitions& definitions = archive.definitions_;
  if (resolution == 0) {
    archive.oddities.push_back(archive.anchor() + ": has no clock properties; ticks are assumed to be nanoseconds");
  } else if (resolution > static_cast<std::uint64_t>(Resolution::highest)) {
    throw InputError(archive.anchor() + ": found a clock resolution of " + std::to_string(resolution) +
                     " ticks per second, expected at most " + std::to_string(Resolution::highest) +
                     "; the archive is damaged");
  } else {
    definitions.resolution = Resolution(static_cast<std::int64_t>(resolution));
  }
  if (archive.clock_of_ == ClockOf::location && archive.thread_delay_us_ > 0)
    archive.thread_delay_ = std::max<Ticks>(1, definitions.resolution.ticks_of_microseconds(archive.thread_delay_us_));
}

OTF2_LocationGroupRef Archive::Loader::group_of(const LocationDefinition& given) const {
  OTF2_LocationGroupRef group = given.group;
  const auto in = groups_of_locations.find(group);
  if (in == groups_of_locations.end()) return group;
  // Who made it may have been made itself; not more often than there are groups, unless in a circle.
  auto creator = groups_of_locations.find(in->second.creator);
  for (std::size_t i = 0; i < groups_of_locations.size() && creator != groups_of_locations.end(); ++i) {
    group = creator->first;
    creator = groups_of_locations.find(creator->second.creator);
  }
  return group;
}

void Archive::Loader::find_riders() {
  HashMap<OTF2_LocationRef, OTF2_LocationGroupRef> groups_of;
  for (const LocationDefinition& given : locations) groups_of.emplace(given.ref, group_of(given));
  // A group with several MPI ranks is no process.
  HashMap<OTF2_LocationGroupRef, std::size_t> ranks;
  const auto of_mpi = communicating.find(OTF2_PARADIGM_MPI);
  if (of_mpi != communicating.end() && !comms.empty() && named().empty())
    for (const std::uint64_t ref : of_mpi->second)
      if (const auto found = groups_of.find(ref); found != groups_of.end()) ++ranks[found->second];
  HashSet<OTF2_LocationGroupRef> led;
  for (const LocationDefinition& given : locations) {
    const OTF2_LocationGroupRef group = groups_of.at(given.ref);
    if (group == OTF2_UNDEFINED_LOCATION_GROUP) continue;
    const bool alone = archive.clock_of_ == ClockOf::location || ranks[group] > 1;
    if (!alone || given.type != OTF2_LOCATION_TYPE_CPU_THREAD || led.insert(group).second) riders.insert(given.ref);
  }
}

void Archive::Loader::add_locations() {
  archive.definitions_.clock_of = archive.clock_of_ == ClockOf::node ? ClockOf::node : ClockOf::process;
  find_riders();
  for (const LocationDefinition& given : locations) add_location(given);
  if (archive.locations_.empty() && !archive.faults.empty()) throw InputError(archive.faults.front());
  if (archive.locations_.empty())
    throw InputError(archive.anchor() + ": defines no location, expected at least one; record the archive again");
  count_threads();
}

void Archive::Loader::add_location(const LocationDefinition& given) {
  if (archive.definitions_.find_process(given.ref)) {
    archive.oddities.push_back(archive.anchor() + ": location " + std::to_string(given.ref) +
                               " is defined twice; the first definition counts");
    return;
  }
  const OTF2_LocationGroupRef group = group_of(given);
  std::string name = as_word(string(given.name));
  std::string node;
  const auto in = groups_of_locations.find(given.group);
  if (in != groups_of_locations.end()) {
    const std::string group_name = as_word(string(in->second.name));
    if (name != group_name) name.insert(0, group_name + ':');
    node = host(in->second.node);
    // Who made it may have been made itself; not often, unless in a circle.
    constexpr int most_creators = 64;
    auto creator = groups_of_locations.find(in->second.creator);
    for (int i = 0; i < most_creators && creator != groups_of_locations.end(); ++i) {
      if (node.empty()) node = host(creator->second.node);
      creator = groups_of_locations.find(creator->second.creator);
    }
  }
  std::optional<ProcessIndex> clock;
  if (riders.contains(given.ref)) {
    const auto [of_group, first] =
        clocks.try_emplace(group, static_cast<ProcessIndex>(archive.definitions_.processes().size()));
    if (!first) clock = of_group->second;
  }
  archive.definitions_.add_process(given.ref, formats::as_name(name), node, clock);
  Location location;
  location.ref = given.ref;
  location.group = group;
  location.defined_group = given.group;
  location.type = given.type;
  location.events_defined = given.events;
  archive.locations_.push_back(std::move(location));
}

void Archive::Loader::count_threads() {
  std::map<OTF2_LocationGroupRef, std::uint32_t> threads;
  for (const Location& location : archive.locations_)
    threads[location.group] += location.type == OTF2_LOCATION_TYPE_CPU_THREAD ? 1 : 0;
  for (Location& location : archive.locations_) location.threads = threads[location.group];
}

/// A process has one rank, mostly that of its first thread, and other threads of the same clock.
void Archive::Loader::find_rank_locations() {
  if (!named().empty()) return;
  HashMap<OTF2_LocationGroupRef, ProcessIndex> of_group;  // no_process: there are several
  for (const auto& [paradigm, list] : communicating) {
    if (of_threads(paradigm)) continue;
    for (const std::uint64_t ref : list) {
      const std::optional<ProcessIndex> rank = archive.definitions_.find_process(ref);
      if (!rank) continue;
      const auto [known, fresh] = of_group.try_emplace(archive.locations_[*rank].group, *rank);
      if (!fresh && known->second != *rank) known->second = no_process;
    }
  }
  const std::deque<Process>& processes = archive.definitions_.processes();
  for (ProcessIndex i = 0; i < archive.locations_.size(); ++i) {
    const Location& location = archive.locations_[i];
    const auto found = of_group.find(location.group);
    if (found == of_group.end() || found->second == no_process || found->second == i) continue;
    if (location.type != OTF2_LOCATION_TYPE_CPU_THREAD || processes[i].clock != processes[found->second].clock)
      continue;
    std::vector<ProcessIndex>& all = archive.rank_locations_;
    if (all.empty()) {
      all.resize(archive.locations_.size());
      std::iota(all.begin(), all.end(), ProcessIndex{0});
    }
    all[i] = found->second;
  }
}

void Archive::Loader::add_regions() {
  for (const auto& [ref, name] : regions)
    if (const auto text = archive.texts_.find(name)) archive.regions_.define(ref, *text);
  std::erase_if(barriers, [&](const auto& barrier) { return !of_threads(barrier.second); });
  archive.regions_.define_barriers(std::move(barriers));
}

/// Groups that synchronize on a window, and the regions in which they do.
void Archive::Loader::add_window_groups() {
  for (const auto& [ref, group] : groups)
    if (const Resolved* const known = members(ref)) archive.communicators_.define_group(ref, known->members);
  archive.regions_.find_epochs();
}

void Archive::Loader::add_communicators() {
  const std::vector<Named> names = named();
  archive.own_.peers = !names.empty();
  for (std::size_t i = 0; i < comms.size(); ++i) {
    std::optional<Ranks> ranks = ranks_of(comms[i]);
    if (!ranks) continue;
    if (ranks->kind != Ranks::Kind::self) add_members(comms[i], names.empty() ? nullptr : &names[i], *ranks);
    archive.communicators_.define(comms[i].ref, *std::move(ranks));
  }
}

std::optional<Ranks> Archive::Loader::ranks_of(const Comm& comm) {
  Ranks ranks;
  const auto group = groups.find(comm.group);
  if (group != groups.end() && group->second.type == OTF2_GROUP_TYPE_COMM_SELF) {
    ranks.kind = Ranks::Kind::self;
    return ranks;
  }
  Resolved* const first = members(comm.group);
  if (first == nullptr) {
    archive.oddities.push_back(archive.anchor() + ": the members of communicator " + std::to_string(comm.ref) +
                               " cannot be determined; its messages are ignored");
    return std::nullopt;
  }
  ranks.group = first->members;
  if (comm.remote) {
    const Resolved* const second = members(*comm.remote);
    if (second == nullptr) return std::nullopt;
    ranks.kind = Ranks::Kind::inter;
    ranks.remote = second->members;
    if (!first->by_index) {
      std::vector<bool> by_index(archive.locations_.size());
      for (const ProcessIndex member : ranks.group) by_index[member] = true;
      first->by_index = std::make_shared<const std::vector<bool>>(std::move(by_index));
    }
    ranks.in_group = first->by_index;
  }
  return ranks;
}

void Archive::Loader::add_members(const Comm& comm, const Named* name, Ranks& ranks) {
  Members all = archive.communicators_.joined(ranks.group, ranks.remote);
  ranks.threads = is_team(comm);
  if (ranks.threads && archive.thread_delay_ > 0) archive.teams_.define(comm.ref, all, groups.at(comm.group).paradigm);
  const Ticks delay = ranks.threads ? archive.thread_delay_ : 0;
  ranks.index = name == nullptr ? archive.definitions_.add_communicator(comm.ref, std::move(all), delay)
                                : archive.definitions_.add_communicator(name->number, std::move(all), name->min_delay);
}

void Archive::Loader::find_free_numbers() {
  const auto beyond = [](auto& free, auto ref) { free = ref < free ? free : std::max(ref, ref + 1); };
  archive.texts_.for_each([&](OTF2_StringRef ref) { beyond(archive.free_string_, ref); });
  for (const auto& [ref, name] : attributes) beyond(archive.free_attribute_, ref);
}

/// Where an archive of this program says more than OTF2 does.
void Archive::Loader::find_own() {
  Own& own = archive.own_;
  for (const auto& [ref, name] : parameters)
    if (string(name) == otf2::own::record) own.record = ref;
  for (const auto& [ref, name] : attributes) {
    const std::string_view text = string(name);
    if (text == otf2::own::fields) own.fields = ref;
    if (text == otf2::own::tag) own.tag = ref;
    if (text == otf2::own::overtakes) own.overtakes = ref;
    if (text == otf2::own::recorded) own.recorded = ref;
  }
  const Own none;
  own.attributes = own.fields != none.fields || own.tag != none.tag || own.overtakes != none.overtakes ||
                   own.recorded != none.recorded;
}

namespace {

[[nodiscard]] bool is_one(const Archive::Chosen& chosen, std::size_t location) {
  return chosen.empty() || chosen[location];
}

}  // namespace

Archive::Archive(const std::string& path, const SourceOptions& options) : Archive(path, options, GlobalOnly()) {
  find_files({});
  expect_definition_files({});
  read_local_definitions({}, options.clock_offsets);
}

Archive::Archive(const std::string& path, const SourceOptions& options, GlobalOnly)
    : keep_going_(options.keep_going), clock_of_(options.clock_of), thread_delay_us_(options.thread_delay_us) {
  const std::optional<std::string> anchor = otf2::find_anchor(path);
  if (!anchor) {
    std::error_code error;
    if (fs::status(path, error).type() == fs::file_type::not_found)
      throw InputError(path + ": cannot be opened: " + std::strerror(ENOENT) + "; check the name");
    throw InputError(path +
                     ": is not an OTF2 archive, expected an anchor file (NAME.otf2) or its folder; check the name");
  }
  anchor_ = *anchor;
  name_ = fs::path(anchor_).stem().string();
  static_cast<void>(is_there(file_of(".def")));
  reader_ = otf2::open_reader(anchor_);
  std::uint8_t major = 0;
  std::uint8_t minor = 0;
  std::uint8_t bugfix = 0;
  check_input(OTF2_Reader_GetVersion(reader_.get(), &major, &minor, &bugfix), anchor_, "read its version");
  if (major > OTF2_VERSION_MAJOR)
    throw InputError(anchor_ + ": was written by libotf2 " + std::to_string(major) + '.' + std::to_string(minor) + '.' +
                     std::to_string(bugfix) + ", expected at most " + std::to_string(OTF2_VERSION_MAJOR) +
                     "; build this program with a newer libotf2");
  layout_ = otf2::layout_of(reader_.get(), anchor_);
  Loader loader(*this);
  loader.read();
  loader.build();
  read_own_properties();
  static_cast<void>(readable([&] { has_markers_ = is_there(file_of(".marker")); }));
  count_memory();
}

/// Bytes of the definitions that stay.
void Archive::count_memory() {
  definitions_.source_memory = on_heap(locations_) + communicators_.memory() + regions_.memory() + texts_.memory();
}

void Archive::find_files(const Chosen& chosen) {
  std::uint32_t snapshots = 0;
  check_input(OTF2_Reader_GetNumberOfSnapshots(reader_.get(), &snapshots), anchor_, "count its snapshots");
  for (std::size_t i = 0; i < locations_.size(); ++i)
    if (is_one(chosen, i)) find_files(locations_[i], snapshots > 0);
}

void Archive::find_files(Location& location, bool snapshots) {
  const auto find = [&](bool& there, const char* extension) {
    return readable([&] { there = is_there(file_of(location, extension)); });
  };
  if (!find(location.event_file, ".evt")) location.damaged = true;
  if (!find(location.definition_file, ".def")) location.damaged = true;
  if (snapshots) static_cast<void>(find(location.snapshot_file, ".snap"));
  const std::string file = file_of(location, ".evt");
  if (location.event_file) {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(file, error);
    location.bytes = error ? 0 : size;
    location.before_cut = otf2::records_before_cut(file, layout_, otf2::Part::events);
  } else if (location.events_defined > 0 && !location.damaged) {
    location.damaged = !readable([&] {
      throw InputError(name_of(location) + ": its event file " + file + " is missing, expected one with " +
                       std::to_string(location.events_defined) + " events; copy the whole archive");
    });
  }
}

void Archive::expect_definition_files(const Chosen& chosen) {
  if (std::none_of(locations_.begin(), locations_.end(), [](const Location& l) { return l.definition_file; })) return;
  for (std::size_t i = 0; i < locations_.size(); ++i) {
    Location& location = locations_[i];
    if (!is_one(chosen, i) || location.definition_file || !location.event_file || location.damaged) continue;
    location.damaged = !readable([&] {
      throw InputError(name_of(location) + ": its definition file " + file_of(location, ".def") +
                       " is missing, expected one as for the other locations; copy the whole archive");
    });
  }
}

std::optional<std::string> Archive::property(const char* name) const {
  std::uint32_t count = 0;
  char** names = nullptr;
  check_input(OTF2_Reader_GetPropertyNames(reader(), &count, &names), anchor_, "read its properties");
  const std::unique_ptr<char*, decltype(&std::free)> owner(names, &std::free);
  if (std::find_if(names, names + count, [&](const char* each) { return std::string_view(each) == name; }) ==
      names + count)
    return std::nullopt;
  char* value = nullptr;
  check_input(OTF2_Reader_GetProperty(reader(), name, &value), anchor_, "read its properties");
  const std::unique_ptr<char, decltype(&std::free)> value_owner(value, &std::free);
  return std::string(value);
}

void Archive::read_own_properties() {
  const auto ticks = [this](const char* name) -> std::optional<std::int64_t> {
    const std::optional<std::string> text = property(name);
    std::int64_t value = 0;
    if (!text) return std::nullopt;
    if (formats::to_number(*text, value) && value >= 0) return value;
    throw InputError(anchor_ + ": found " + formats::in_quotes(*text) + " as property " + name +
                     ", expected ticks, 0 or more; the archive is damaged");
  };
  shift_ = ticks(otf2::own::shift).value_or(0);
  definitions_.min_delay = ticks(otf2::own::min_delay);
  if (definitions_.min_delay) definitions_.node_min_delay = ticks(otf2::own::node_min_delay);
  note_lines(property(otf2::own::provenance).value_or(""), "%provenance ");
  note_lines(property(otf2::own::notes).value_or(""), "");
}

void Archive::note_lines(std::string_view lines, const std::string& mark) {
  const auto add = [&](std::string_view some) {
    while (!some.empty()) {
      const std::string_view line = some.substr(0, some.find('\n'));
      some.remove_prefix(std::min(some.size(), line.size() + 1));
      notes_.push_back(mark + std::string(line));
    }
  };
  for (OTF2_StringRef below = free_string_;;) {
    const std::size_t last = lines.rfind('\n') + 1;
    const std::vector<std::string_view> pieces = pieces_named_by(lines.substr(last), below);
    add(pieces.empty() ? lines : lines.substr(0, last));
    if (pieces.empty()) return;
    std::for_each(pieces.begin(), pieces.end() - 1, add);
    lines = pieces.back();
  }
}

std::vector<std::string_view> Archive::pieces_named_by(std::string_view line, OTF2_StringRef& below) const {
  using otf2::own::in_strings;
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  if (!line.starts_with(in_strings) || !two_numbers(line.substr(in_strings.size()), first, count)) return {};
  if (first > below || count > below - first || count > texts_.size()) return {};
  std::vector<std::string_view> pieces;
  for (std::uint64_t ref = first; ref < first + count; ++ref) {
    const std::string_view string = text(static_cast<OTF2_StringRef>(ref));
    if (!string.starts_with(otf2::own::piece)) return {};
    pieces.push_back(string.substr(otf2::own::piece.size()));
  }
  below = static_cast<OTF2_StringRef>(first);
  return pieces;
}

void Archive::read_local_definitions(const Chosen& chosen, bool use_clock_offsets) {
  OTF2_Reader* const reader = reader_.get();
  bool any = false;
  for (std::size_t i = 0; i < locations_.size(); ++i) {
    const Location& location = locations_[i];
    // Each that is selected costs libotf2 a look at all others.
    if (!is_one(chosen, i) || !(location.event_file || location.definition_file)) continue;
    check_input(OTF2_Reader_SelectLocation(reader, location.ref), name_of(location), "select it");
    any = any || location.definition_file;
  }
  if (any) check_input(OTF2_Reader_OpenDefFiles(reader), anchor_, "open the definition files");
  const Owned<OTF2_DefReaderCallbacks, OTF2_DefReaderCallbacks_Delete> callbacks(OTF2_DefReaderCallbacks_New());
  OTF2_DefReaderCallbacks_SetMappingTableCallback(callbacks.get(),
                                                  [](void* user, OTF2_MappingType type, const OTF2_IdMap* map) {
                                                    auto& location = *static_cast<Location*>(user);
                                                    if (!location.numbers)
                                                      location.numbers = std::make_unique<otf2::NumberTables>();
                                                    location.numbers->add(type, map);
                                                    return OTF2_CALLBACK_SUCCESS;
                                                  });
  if (use_clock_offsets) {
    OTF2_DefReaderCallbacks_SetClockOffsetCallback(
        callbacks.get(), [](void* user, OTF2_TimeStamp time, std::int64_t offset, double deviation) {
          const bool possible = std::isfinite(deviation) && deviation > 0;
          static_cast<Location*>(user)->offsets.add(static_cast<std::int64_t>(time), offset, possible ? deviation : 0);
          return OTF2_CALLBACK_SUCCESS;
        });
  }
  for (std::size_t i = 0; i < locations_.size(); ++i) {
    Location& location = locations_[i];
    if (!is_one(chosen, i) || !location.definition_file) continue;
    const bool whole = readable([&] {
      OTF2_DefReader* const local = OTF2_Reader_GetDefReader(reader, location.ref);
      if (local == nullptr) otf2::fail_input(name_of(location), "open its definitions");
      check_input(OTF2_Reader_RegisterDefCallbacks(reader, local, callbacks.get(), &location), name_of(location),
                  "read its definitions");
      check_read(read_part(reader, local, OTF2_Reader_ReadAllLocalDefinitions, OTF2_Reader_ReadLocalDefinitions,
                           file_of(location, ".def"), otf2::Part::definitions),
                 name_of(location), "read its definitions");
      check_input(OTF2_Reader_CloseDefReader(reader, local), name_of(location), "close its definitions");
    });
    location.damaged = location.damaged || !whole;
  }
  if (any) check_input(OTF2_Reader_CloseDefFiles(reader), anchor_, "close the definition files");
}

std::string_view Archive::text(OTF2_StringRef ref) const noexcept {
  return texts_.find(ref).value_or(std::string_view());
}

std::string Archive::name_of(const Location& location) const {
  return anchor_ + ": location " + std::to_string(location.ref);
}

std::string Archive::file_of(const Location& location, const char* extension) const {
  return (fs::path(anchor_).parent_path() / name_ / (std::to_string(location.ref) + extension)).string();
}

std::string Archive::file_of(const char* extension) const {
  return (fs::path(anchor_).parent_path() / (name_ + extension)).string();
}

bool Archive::has_folder() const {
  std::error_code error;
  return fs::is_directory(file_of(""), error);
}

namespace otf2 {

std::string library_version() {
  return "libotf2 " + std::to_string(OTF2_VERSION_MAJOR) + '.' + std::to_string(OTF2_VERSION_MINOR) + '.' +
         std::to_string(OTF2_VERSION_BUGFIX);
}

}  // namespace otf2

}  // namespace clc
