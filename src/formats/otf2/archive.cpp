#include "otf2/archive.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <unordered_set>

#include "clc/error.hpp"
#include "common/words.hpp"
#include "otf2/anchor.hpp"
#include "otf2/own.hpp"

namespace clc {

namespace {

namespace fs = std::filesystem;
using otf2::check_input;
using otf2::check_read;
using otf2::Owned;

/// The first, and behind them those of the second that are not among them.
std::vector<ProcessIndex> joined(std::vector<ProcessIndex> first, const std::vector<ProcessIndex>& second) {
  const std::unordered_set<ProcessIndex> known(first.begin(), first.end());
  std::copy_if(second.begin(), second.end(), std::back_inserter(first),
               [&](ProcessIndex member) { return !known.contains(member); });
  return first;
}

/// Names stand in lines of blank-separated fields.
std::string as_word(std::string_view text) {
  std::string word(text);
  for (char& letter : word)
    if (static_cast<unsigned char>(letter) <= ' ' || letter == 0x7f) letter = '_';
  return word;
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
  void count_threads();
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

  [[nodiscard]] std::string string(OTF2_StringRef ref) const {
    const auto found = strings.find(ref);
    return found == strings.end() ? std::string() : found->second;
  }
  /// The host that a location group stands on; empty: the archive does not say.
  [[nodiscard]] std::string host(OTF2_SystemTreeNodeRef node);
  /// The communicators in the trace that the archive was made of; empty: it was made otherwise.
  [[nodiscard]] std::vector<Named> named() const;
  /// Members of a group of communication locations; nullopt: it cannot be resolved.
  [[nodiscard]] std::optional<std::vector<ProcessIndex>> members(OTF2_GroupRef ref) const;

  /// Paradigms of threads.
  [[nodiscard]] bool of_threads(OTF2_Paradigm paradigm) const;
  /// Several threads of one process.
  [[nodiscard]] bool is_team(const Comm& comm, const std::vector<ProcessIndex>& members) const;

  Archive& archive;
  std::unordered_map<OTF2_StringRef, std::string> strings;
  std::unordered_map<OTF2_SystemTreeNodeRef, Node> nodes;
  std::unordered_map<OTF2_SystemTreeNodeRef, std::string> hosts;  ///< of nodes, as far as was asked
  std::unordered_map<OTF2_LocationGroupRef, LocationGroup> groups_of_locations;
  std::vector<LocationDefinition> locations;
  std::vector<std::pair<OTF2_RegionRef, OTF2_StringRef>> regions;
  std::vector<std::pair<OTF2_RegionRef, OTF2_Paradigm>> barriers;
  std::unordered_map<OTF2_Paradigm, OTF2_ParadigmClass> paradigms;
  std::vector<std::pair<OTF2_ParameterRef, OTF2_StringRef>> parameters;
  std::vector<std::pair<OTF2_AttributeRef, OTF2_StringRef>> attributes;
  std::unordered_map<OTF2_GroupRef, Group> groups;
  std::unordered_map<OTF2_Paradigm, std::vector<std::uint64_t>> communicating;  ///< locations by paradigm
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
    of(user).strings[self] = text;
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
        of(user).archive.windows_[self] = comm;
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
    const std::string class_name = string(found->second.class_name);
    if (found->second.shared_memory || class_name == "node" || class_name == "host") {
      name = as_word(string(found->second.name));
      break;
    }
    node = found->second.parent;
  }
  for (std::string* const of_node : below) *of_node = name;
  return name;
}

std::optional<std::vector<ProcessIndex>> Archive::Loader::members(OTF2_GroupRef ref) const {
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
  return result;
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

bool Archive::Loader::is_team(const Comm& comm, const std::vector<ProcessIndex>& members) const {
  return !comm.remote && of_threads(groups.at(comm.group).paradigm) && members.size() > 1 &&
         std::all_of(members.begin(), members.end(), [&](ProcessIndex member) {
           return archive.locations_[member].group == archive.locations_[members.front()].group;
         });
}

std::vector<Archive::Loader::Named> Archive::Loader::named() const {
  std::vector<Named> all;
  std::set<std::uint64_t> different;
  const std::string_view before = otf2::own::communicator;
  const std::string_view between = otf2::own::communicator_delay;
  for (const Comm& comm : comms) {
    const std::string name = string(comm.name);
    if (!name.starts_with(before)) return {};
    const std::string_view rest = std::string_view(name).substr(before.size());
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
  if (!archive.windows_.empty()) add_window_groups();
  add_communicators();
  find_free_numbers();
  find_own();
  for (const OTF2_GroupRef ref : twice)
    archive.oddities.push_back(archive.anchor() + ": group " + std::to_string(ref) +
                               " is defined more than once; each definition is used for its purpose");
}

void Archive::Loader::settle_resolution() {
  Definitions& definitions = archive.definitions_;
  if (resolution == 0) {
    archive.oddities.push_back(archive.anchor() + ": has no clock properties; ticks are taken as nanoseconds");
  } else if (resolution > static_cast<std::uint64_t>(Resolution::highest)) {
    throw InputError(archive.anchor() + ": found a clock resolution of " + std::to_string(resolution) +
                     " ticks per second, expected at most " + std::to_string(Resolution::highest) +
                     "; the archive is damaged");
  } else {
    definitions.resolution = Resolution(static_cast<std::int64_t>(resolution));
  }
  if (archive.thread_delay_us_ > 0)
    archive.thread_delay_ = std::max<Ticks>(1, definitions.resolution.ticks_of_microseconds(archive.thread_delay_us_));
}

void Archive::Loader::add_locations() {
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
  OTF2_LocationGroupRef group = given.group;
  std::string name = as_word(string(given.name));
  std::string node;
  const auto in = groups_of_locations.find(group);
  if (in != groups_of_locations.end()) {
    const std::string group_name = as_word(string(in->second.name));
    if (name != group_name) name.insert(0, group_name + ':');
    node = host(in->second.node);
    // Who made it may have been made itself; not more often than there are groups, unless in a circle.
    auto creator = groups_of_locations.find(in->second.creator);
    for (std::size_t i = 0; i < groups_of_locations.size() && creator != groups_of_locations.end(); ++i) {
      group = creator->first;
      if (node.empty()) node = host(creator->second.node);
      creator = groups_of_locations.find(creator->second.creator);
    }
  }
  if (name.empty()) name = "location";
  archive.definitions_.add_process(given.ref, name, node);
  Location location;
  location.ref = given.ref;
  location.group = group;
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

void Archive::Loader::add_regions() {
  for (const auto& [ref, name] : regions) archive.regions_[ref] = string(name);
  for (const auto& [ref, paradigm] : barriers)
    if (of_threads(paradigm)) archive.thread_barriers_.push_back(ref);
  std::sort(archive.thread_barriers_.begin(), archive.thread_barriers_.end());
}

/// Groups that synchronize on a window, and the regions in which they do.
void Archive::Loader::add_window_groups() {
  for (const auto& [ref, group] : groups)
    if (const auto list = members(ref)) archive.window_groups_[ref] = *list;
  for (const auto& [ref, name] : archive.regions_) {
    if (name == "MPI_Win_post" || name == "MPI_Win_start") archive.epochs_[ref] = Epoch::begin;
    if (name == "MPI_Win_complete") archive.epochs_[ref] = Epoch::access_end;
    if (name == "MPI_Win_wait" || name == "MPI_Win_test") archive.epochs_[ref] = Epoch::exposure_end;
  }
}

void Archive::Loader::add_communicators() {
  const std::vector<Named> names = named();
  archive.own_.peers = !names.empty();
  for (std::size_t i = 0; i < comms.size(); ++i) {
    std::optional<Ranks> ranks = ranks_of(comms[i]);
    if (!ranks) continue;
    if (ranks->kind != Ranks::Kind::self) add_members(comms[i], names.empty() ? nullptr : &names[i], *ranks);
    archive.ranks_[comms[i].ref] = std::move(*ranks);
  }
}

std::optional<Archive::Ranks> Archive::Loader::ranks_of(const Comm& comm) {
  Ranks ranks;
  const auto group = groups.find(comm.group);
  if (group != groups.end() && group->second.type == OTF2_GROUP_TYPE_COMM_SELF) {
    ranks.kind = Ranks::Kind::self;
    return ranks;
  }
  auto first = members(comm.group);
  if (!first) {
    archive.oddities.push_back(archive.anchor() + ": the members of communicator " + std::to_string(comm.ref) +
                               " cannot be told; its messages order nothing");
    return std::nullopt;
  }
  ranks.group = std::move(*first);
  if (comm.remote) {
    auto second = members(*comm.remote);
    if (!second) return std::nullopt;
    ranks.kind = Ranks::Kind::inter;
    ranks.remote = std::move(*second);
    ranks.in_group.resize(archive.locations_.size());
    for (const ProcessIndex member : ranks.group) ranks.in_group[member] = true;
  }
  return ranks;
}

void Archive::Loader::add_members(const Comm& comm, const Named* name, Ranks& ranks) {
  std::vector<ProcessIndex> all = joined(ranks.group, ranks.remote);
  ranks.threads = is_team(comm, all);
  if (ranks.threads && archive.thread_delay_ > 0) archive.teams_.define(comm.ref, all);
  const Ticks delay = ranks.threads ? archive.thread_delay_ : 0;
  ranks.index = name == nullptr ? archive.definitions_.add_communicator(comm.ref, std::move(all), delay)
                                : archive.definitions_.add_communicator(name->number, std::move(all), name->min_delay);
}

void Archive::Loader::find_free_numbers() {
  const auto beyond = [](auto& free, auto ref) { free = ref < free ? free : std::max(ref, ref + 1); };
  for (const auto& [ref, text] : strings) beyond(archive.free_string_, ref);
  for (const auto& [ref, name] : attributes) beyond(archive.free_attribute_, ref);
}

/// Where an archive of this program says more than OTF2 does. Takes the strings away when it does.
void Archive::Loader::find_own() {
  Own& own = archive.own_;
  for (const auto& [ref, name] : parameters)
    if (string(name) == otf2::own::record) own.record = ref;
  for (const auto& [ref, name] : attributes) {
    const std::string text = string(name);
    if (text == otf2::own::fields) own.fields = ref;
    if (text == otf2::own::tag) own.tag = ref;
    if (text == otf2::own::overtakes) own.overtakes = ref;
    if (text == otf2::own::recorded) own.recorded = ref;
  }
  const Own none;
  own.attributes = own.fields != none.fields || own.tag != none.tag || own.overtakes != none.overtakes ||
                   own.recorded != none.recorded;
  if (own.record != none.record || own.attributes) archive.texts_ = std::move(strings);
}

Archive::Archive(const std::string& path, const SourceOptions& options)
    : keep_going_(options.keep_going), thread_delay_us_(options.thread_delay_us) {
  const std::optional<std::string> anchor = otf2::find_anchor(path);
  if (!anchor)
    throw InputError(path + ": is no OTF2 archive, expected an anchor file (NAME.otf2) or its folder; check the name");
  anchor_ = *anchor;
  name_ = fs::path(anchor_).stem().string();
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
  std::size_t definition_files = 0;
  for (Location& location : locations_) {
    const std::string file = file_of(location, ".evt");
    struct stat status = {};
    location.event_file = ::stat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode);
    location.bytes = location.event_file ? static_cast<std::uint64_t>(status.st_size) : 0;
    if (location.event_file) location.before_cut = otf2::records_before_cut(file, layout_, otf2::Part::events);
    location.definition_file = ::stat(file_of(location, ".def").c_str(), &status) == 0;
    definition_files += location.definition_file ? 1 : 0;
    if (!location.event_file && location.events_defined > 0)
      location.damaged = !readable([&] {
        throw InputError(name_of(location) + ": its event file " + file + " is missing, expected one with " +
                         std::to_string(location.events_defined) + " events; copy the whole archive");
      });
  }
  for (Location& location : locations_)
    if (definition_files > 0 && !location.definition_file && location.event_file)
      location.damaged = !readable([&] {
        throw InputError(name_of(location) + ": its definition file " + file_of(location, ".def") +
                         " is missing, expected one as for the other locations; copy the whole archive");
      });
  read_local_definitions(options.clock_offsets);
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
    throw InputError(anchor_ + ": found " + formats::quoted(*text) + " as property " + name +
                     ", expected ticks, 0 or more; the archive is damaged");
  };
  shift_ = ticks(otf2::own::shift).value_or(0);
  definitions_.min_delay = ticks(otf2::own::min_delay);
  const auto note_lines = [this](const char* name, const std::string& mark) {
    const std::string lines = property(name).value_or("");
    for (std::size_t at = 0; at < lines.size();) {
      const std::size_t end = std::min(lines.find('\n', at), lines.size());
      notes_.push_back(mark + lines.substr(at, end - at));
      at = end + 1;
    }
  };
  note_lines(otf2::own::provenance, "%provenance ");
  note_lines(otf2::own::notes, "");
}

void Archive::read_local_definitions(bool use_clock_offsets) {
  OTF2_Reader* const reader = reader_.get();
  for (const Location& location : locations_)
    check_input(OTF2_Reader_SelectLocation(reader, location.ref), name_of(location), "select it");
  const bool any = std::any_of(locations_.begin(), locations_.end(), [](const auto& l) { return l.definition_file; });
  if (any) check_input(OTF2_Reader_OpenDefFiles(reader), anchor_, "open the definition files");
  const Owned<OTF2_DefReaderCallbacks, OTF2_DefReaderCallbacks_Delete> callbacks(OTF2_DefReaderCallbacks_New());
  OTF2_DefReaderCallbacks_SetMappingTableCallback(callbacks.get(),
                                                  [](void* user, OTF2_MappingType type, const OTF2_IdMap* map) {
                                                    auto& location = *static_cast<Location*>(user);
                                                    location.own_numbers = true;
                                                    location.numbers.add(type, map);
                                                    return OTF2_CALLBACK_SUCCESS;
                                                  });
  if (use_clock_offsets) {
    OTF2_DefReaderCallbacks_SetClockOffsetCallback(
        callbacks.get(), [](void* user, OTF2_TimeStamp time, std::int64_t offset, double) {
          static_cast<Location*>(user)->offsets.add(static_cast<std::int64_t>(time), offset);
          return OTF2_CALLBACK_SUCCESS;
        });
  }
  for (Location& location : locations_) {
    if (!location.definition_file) continue;
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

const Archive::Ranks* Archive::find_ranks(OTF2_CommRef communicator) const noexcept {
  const auto found = ranks_.find(communicator);
  if (found == ranks_.end()) return nullptr;
  last_communicator_ = communicator;
  last_ranks_ = &found->second;
  return last_ranks_;
}

std::string_view Archive::region(OTF2_RegionRef region) const noexcept {
  const auto found = regions_.find(region);
  return found == regions_.end() ? std::string_view() : std::string_view(found->second);
}

std::string_view Archive::text(OTF2_StringRef ref) const noexcept {
  const auto found = texts_.find(ref);
  return found == texts_.end() ? std::string_view() : std::string_view(found->second);
}

// Numbers of communicators that the archive does not name lie beyond its own, which have 32 bits.

namespace {

enum class Implied : std::uint64_t { locks = 8, team, requests, window, group, direction };

std::uint64_t number_of(Implied kind, std::uint64_t rest) noexcept {
  return static_cast<std::uint64_t>(kind) << 60U | (rest & 0x0fff'ffff'ffff'ffffU);
}

}  // namespace

template <class Members>
CommunicatorIndex Archive::derived(std::uint64_t number, Members members, Ticks min_delay, otf2::NewLines& lines) {
  const auto [entry, fresh] = derived_.try_emplace(number, no_communicator);
  if (fresh) {
    try {
      if (before_change_) before_change_();
    } catch (...) {
      stopped_ = std::current_exception();
      derived_.erase(entry);
      return no_communicator;
    }
    entry->second = definitions_.add_communicator(number, members(), min_delay);
    lines.push_back(otf2::group_line(definitions_, definitions_.communicators()[entry->second]));
  }
  return entry->second;
}

CommunicatorIndex Archive::self_communicator(OTF2_CommRef communicator, ProcessIndex process, otf2::NewLines& lines) {
  return derived((std::uint64_t{process} + 1) << 32U | communicator, [&] { return std::vector<ProcessIndex>{process}; },
                 0, lines);
}

CommunicatorIndex Archive::team_communicator(OTF2_CommRef team, std::uint32_t size, otf2::NewLines& lines) {
  const auto members = [&] {
    const std::vector<ProcessIndex>& all = teams_.find(team)->members;
    return std::vector<ProcessIndex>(all.begin(), all.begin() + size);
  };
  return derived(number_of(Implied::team, std::uint64_t{size} << 32U | team), members, thread_delay_, lines);
}

CommunicatorIndex Archive::lock_communicator(OTF2_LocationGroupRef group, OTF2_Paradigm paradigm,
                                             otf2::NewLines& lines) {
  const auto members = [&] {
    std::vector<ProcessIndex> threads;
    for (ProcessIndex i = 0; i < locations_.size(); ++i)
      if (locations_[i].group == group && locations_[i].type == OTF2_LOCATION_TYPE_CPU_THREAD) threads.push_back(i);
    return threads;
  };
  return derived(number_of(Implied::locks, std::uint64_t{group} << 8U | paradigm), members, thread_delay_, lines);
}

CommunicatorIndex Archive::request_communicator(OTF2_CommRef communicator, std::uint64_t number,
                                                otf2::NewLines& lines) {
  // More than so many are hardly under way at once.
  constexpr std::uint64_t most = 32;
  const CommunicatorIndex whole = ranks_.at(communicator).index;
  return derived(
      number_of(Implied::requests, (number % most) << 32U | communicator),
      [&] { return definitions_.communicators()[whole].members; }, 0, lines);
}

CommunicatorIndex Archive::window_communicator(OTF2_RmaWinRef window, otf2::NewLines& lines) {
  const auto found = windows_.find(window);
  const Ranks* const of = found == windows_.end() ? nullptr : ranks(found->second);
  if (of == nullptr || of->kind != Ranks::Kind::plain) return no_communicator;
  return derived(
      number_of(Implied::window, window), [&] { return of->group; }, 0, lines);
}

CommunicatorIndex Archive::direction_communicator(OTF2_CommRef communicator, bool first_sends, otf2::NewLines& lines) {
  const auto members = [&] {
    const Ranks& ranks = ranks_.at(communicator);
    return first_sends ? joined(ranks.group, ranks.remote) : joined(ranks.remote, ranks.group);
  };
  return derived(number_of(Implied::direction, std::uint64_t{first_sends ? 0U : 1U} << 32U | communicator), members, 0,
                 lines);
}

CommunicatorIndex Archive::group_communicator(OTF2_RmaWinRef window, OTF2_GroupRef group, ProcessIndex process,
                                              otf2::NewLines& lines) {
  const auto found = window_groups_.find(group);
  if (found == window_groups_.end() ||
      std::find(found->second.begin(), found->second.end(), process) == found->second.end())
    return no_communicator;
  return derived(
      number_of(Implied::group, std::uint64_t{window} << 32U | group), [&] { return found->second; }, 0, lines);
}

ProcessIndex Archive::window_rank(OTF2_RmaWinRef window, std::uint32_t rank) const noexcept {
  const auto found = windows_.find(window);
  const Ranks* const of = found == windows_.end() ? nullptr : ranks(found->second);
  if (of == nullptr || of->kind != Ranks::Kind::plain || rank >= of->group.size()) return no_process;
  return of->group[rank];
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

bool Archive::has_file(const Location& location, const char* extension) const {
  std::error_code error;
  return fs::exists(file_of(location, extension), error);
}

bool Archive::has_file(const char* extension) const {
  std::error_code error;
  return fs::exists(file_of(extension), error);
}

namespace otf2 {

std::string group_line(const Definitions& definitions, const Communicator& communicator) {
  std::string line = "%group " + std::to_string(communicator.number);
  for (const ProcessIndex member : communicator.members)
    line += ' ' + std::to_string(definitions.processes()[member].number);
  if (communicator.min_delay > 0) line += " min-delay=" + std::to_string(communicator.min_delay);
  return line;
}

std::string library_version() {
  return "libotf2 " + std::to_string(OTF2_VERSION_MAJOR) + '.' + std::to_string(OTF2_VERSION_MINOR) + '.' +
         std::to_string(OTF2_VERSION_BUGFIX);
}

}  // namespace otf2

}  // namespace clc
