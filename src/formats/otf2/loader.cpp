#include "otf2/loader.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "clc/error.hpp"
#include "common/definition_lines.hpp"
#include "common/words.hpp"
#include "otf2/own.hpp"

namespace clc {

namespace {

using otf2::Ranks;

/// Very many locations may share one name.
constexpr std::size_t longest_name = 1024;

std::string as_word(std::string_view text) { return formats::as_field(text.substr(0, longest_name)); }

}  // namespace

std::string Archive::Loader::host(OTF2_SystemTreeNodeRef node) {
  std::vector<std::string*> below;  // what is being found out
  std::string name;
  for (;;) {
    const auto found = defined.nodes.find(node);
    if (found == defined.nodes.end()) break;
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
      known->one_process = std::ranges::all_of(
          known->members, [&](ProcessIndex member) { return all[member].group == all[known->members.front()].group; });
    }
  }
  return known ? &*known : nullptr;
}

std::optional<Members> Archive::Loader::resolve(OTF2_GroupRef ref) const {
  const auto group = defined.groups.find(ref);
  if (group == defined.groups.end()) return std::nullopt;
  const bool direct =
      group->second.type != OTF2_GROUP_TYPE_COMM_GROUP || (group->second.flags & OTF2_GROUP_FLAG_GLOBAL_MEMBERS) != 0;
  const auto all = defined.communicating.find(group->second.paradigm);
  if (!direct && all == defined.communicating.end()) return std::nullopt;
  std::vector<ProcessIndex> result;
  result.reserve(group->second.members.size());
  for (const std::uint64_t member : group->second.members) {
    if (!direct && member >= all->second.size()) return std::nullopt;
    const auto index = archive.definitions_.find_process(direct ? member : all->second[member]);
    if (!index) return std::nullopt;
    result.push_back(*index);
  }
  std::vector<ProcessIndex> sorted = result;
  std::ranges::sort(sorted);
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return std::nullopt;
  return Members(result);
}

bool Archive::Loader::of_threads(OTF2_Paradigm paradigm) const {
  const auto found = defined.paradigms.find(paradigm);
  if (found != defined.paradigms.end())
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

bool Archive::Loader::of_ranks(OTF2_Paradigm paradigm) const {
  const auto found = defined.paradigms.find(paradigm);
  if (found != defined.paradigms.end()) return found->second == OTF2_PARADIGM_CLASS_PROCESS;
  return paradigm == OTF2_PARADIGM_MPI || paradigm == OTF2_PARADIGM_SHMEM || paradigm == OTF2_PARADIGM_GASPI ||
         paradigm == OTF2_PARADIGM_UPC;
}

bool Archive::Loader::is_team(const Comm& comm) {
  if (comm.remote || !of_threads(defined.groups.at(comm.group).paradigm)) return false;
  const Resolved* const group = members(comm.group);
  return group->members.size() > 1 && group->one_process;
}

std::vector<Archive::Loader::Named> Archive::Loader::named() const {
  std::vector<Named> all;
  std::set<std::uint64_t> different;
  const std::string_view before = otf2::own::communicator;
  const std::string_view between = otf2::own::communicator_delay;
  for (const Comm& comm : defined.comms) {
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
  for (const OTF2_GroupRef ref : defined.twice)
    archive.oddities.in_definitions.push_back(archive.anchor() + ": group " + std::to_string(ref) +
                                              " is defined more than once; each definition is used for its purpose");
}

void Archive::Loader::settle_resolution() {
  Definitions& definitions = archive.definitions_;
  if (defined.resolution == 0) {
    archive.oddities.in_definitions.push_back(archive.anchor() +
                                              ": has no clock properties; ticks are assumed to be nanoseconds");
  } else if (defined.resolution > static_cast<std::uint64_t>(Resolution::highest)) {
    throw InputError(archive.anchor() + ": found a clock resolution of " + std::to_string(defined.resolution) +
                     " ticks per second, expected at most " + std::to_string(Resolution::highest) +
                     "; the archive is damaged");
  } else {
    definitions.resolution = Resolution(static_cast<std::int64_t>(defined.resolution));
  }
  if (archive.given_.clock_of == ClockOf::location && archive.given_.thread_delay_us > 0)
    archive.thread_delay_ =
        std::max<Ticks>(1, definitions.resolution.ticks_of_microseconds(archive.given_.thread_delay_us));
}

OTF2_LocationGroupRef Archive::Loader::group_of(const LocationDefinition& given) const {
  OTF2_LocationGroupRef group = given.group;
  const auto in = defined.groups_of_locations.find(group);
  if (in == defined.groups_of_locations.end()) return group;
  // Who made it may have been made itself; not more often than there are groups, unless in a circle.
  auto at = in;
  for (std::size_t i = 0; i < defined.groups_of_locations.size() && at->second.is_accelerator(); ++i) {
    at = defined.groups_of_locations.find(at->second.creator);
    if (at == defined.groups_of_locations.end()) break;
    group = at->first;
  }
  return group;
}

OTF2_SystemTreeNodeRef Archive::Loader::node_of(OTF2_SystemTreeNodeRef given) const {
  constexpr int deepest = 64;
  OTF2_SystemTreeNodeRef node = given;
  for (int i = 0; i < deepest; ++i) {
    const auto found = defined.nodes.find(node);
    if (found == defined.nodes.end()) break;
    const std::string_view class_name = string(found->second.class_name);
    if (found->second.shared_memory || class_name == "node" || class_name == "host") return node;
    node = found->second.parent;
  }
  return given;
}

void Archive::Loader::adopt_accelerators() {
  constexpr OTF2_LocationGroupRef several = OTF2_UNDEFINED_LOCATION_GROUP;
  HashMap<OTF2_SystemTreeNodeRef, OTF2_LocationGroupRef> processes;  // by node
  for (const auto& [ref, group] : defined.groups_of_locations) {
    if (group.type != OTF2_LOCATION_GROUP_TYPE_PROCESS || !defined.nodes.contains(group.node)) continue;
    const auto [known, fresh] = processes.try_emplace(node_of(group.node), ref);
    if (!fresh) known->second = several;
  }
  std::set<OTF2_LocationGroupRef> left;
  for (const LocationDefinition& given : defined.locations) {
    const auto in = defined.groups_of_locations.find(given.group);
    if (in == defined.groups_of_locations.end() || !in->second.is_accelerator()) continue;
    if (defined.groups_of_locations.contains(in->second.creator)) continue;
    const auto process = processes.find(node_of(in->second.node));
    if (process != processes.end() && process->second != several)
      in->second.creator = process->second;
    else
      left.insert(given.group);
  }
  if (left.empty() || archive.given_.clock_of == ClockOf::node) return;
  archive.oddities.in_definitions.push_back(
      archive.anchor() + ": location group " + std::to_string(*left.begin()) +
      " is an accelerator without a creator: its node does not have exactly one process, so it "
      "is treated as a process with a clock of its own (" +
      std::to_string(left.size()) + " such groups)");
}

void Archive::Loader::find_riders() {
  HashMap<OTF2_LocationRef, OTF2_LocationGroupRef> groups_of;
  for (const LocationDefinition& given : defined.locations) groups_of.emplace(given.ref, group_of(given));
  // A group with several MPI ranks is no process.
  HashMap<OTF2_LocationGroupRef, std::size_t> ranks;
  const auto of_mpi = defined.communicating.find(OTF2_PARADIGM_MPI);
  if (of_mpi != defined.communicating.end() && !defined.comms.empty() && named().empty())
    for (const std::uint64_t ref : of_mpi->second)
      if (const auto found = groups_of.find(ref); found != groups_of.end()) ++ranks[found->second];
  HashSet<OTF2_LocationGroupRef> led;
  for (const LocationDefinition& given : defined.locations) {
    const OTF2_LocationGroupRef group = groups_of.at(given.ref);
    if (group == OTF2_UNDEFINED_LOCATION_GROUP) continue;
    const bool alone = archive.given_.clock_of == ClockOf::location || ranks[group] > 1;
    if (!alone || given.type != OTF2_LOCATION_TYPE_CPU_THREAD || led.insert(group).second) riders.insert(given.ref);
  }
}

void Archive::Loader::add_locations() {
  archive.definitions_.clock_of = archive.given_.clock_of == ClockOf::node ? ClockOf::node : ClockOf::process;
  adopt_accelerators();
  find_riders();
  for (const LocationDefinition& given : defined.locations) add_location(given);
  if (archive.locations_.empty() && !archive.faults.empty()) throw InputError(archive.faults.front());
  if (archive.locations_.empty())
    throw InputError(archive.anchor() + ": defines no location, expected at least one; record the archive again");
  count_threads();
}

void Archive::Loader::add_location(const LocationDefinition& given) {
  if (archive.definitions_.find_process(given.ref)) {
    archive.oddities.in_definitions.push_back(archive.anchor() + ": location " + std::to_string(given.ref) +
                                              " is defined twice; the first definition counts");
    return;
  }
  const OTF2_LocationGroupRef group = group_of(given);
  std::string name = as_word(string(given.name));
  std::string node;
  const auto in = defined.groups_of_locations.find(given.group);
  if (in != defined.groups_of_locations.end()) {
    const std::string group_name = as_word(string(in->second.name));
    if (name != group_name) name.insert(0, group_name + ':');
    node = host(in->second.node);
    // Who made it may have been made itself; not often, unless in a circle.
    constexpr int most_creators = 64;
    auto creator = defined.groups_of_locations.find(in->second.creator);
    for (int i = 0; i < most_creators && creator != defined.groups_of_locations.end(); ++i) {
      if (node.empty()) node = host(creator->second.node);
      creator = defined.groups_of_locations.find(creator->second.creator);
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
  for (const auto& [paradigm, list] : defined.communicating) {
    if (!of_ranks(paradigm)) continue;
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
  for (const auto& [ref, name] : defined.regions)
    if (const auto text = archive.texts_.find(name)) archive.regions_.define(ref, *text);
  std::erase_if(defined.barriers, [&](const auto& barrier) { return !of_threads(barrier.second); });
  archive.regions_.define_barriers(std::move(defined.barriers));
}

/// Groups that synchronize on a window, and the regions in which they do.
void Archive::Loader::add_window_groups() {
  for (const auto& [ref, group] : defined.groups)
    if (const Resolved* const known = members(ref)) archive.communicators_.define_group(ref, known->members);
  archive.regions_.find_epochs();
}

void Archive::Loader::add_communicators() {
  const std::vector<Named> names = named();
  archive.own_.peers = !names.empty();
  for (std::size_t i = 0; i < defined.comms.size(); ++i) {
    std::optional<Ranks> ranks = ranks_of(defined.comms[i]);
    if (!ranks) continue;
    if (ranks->kind != Ranks::Kind::self) add_members(defined.comms[i], names.empty() ? nullptr : &names[i], *ranks);
    archive.communicators_.define(defined.comms[i].ref, *std::move(ranks));
  }
}

std::optional<Ranks> Archive::Loader::ranks_of(const Comm& comm) {
  Ranks ranks;
  const auto group = defined.groups.find(comm.group);
  if (group != defined.groups.end() && group->second.type == OTF2_GROUP_TYPE_COMM_SELF) {
    ranks.kind = Ranks::Kind::self;
    return ranks;
  }
  Resolved* const first = members(comm.group);
  if (first == nullptr) {
    archive.oddities.in_definitions.push_back(archive.anchor() + ": the members of communicator " +
                                              std::to_string(comm.ref) +
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
  if (ranks.threads && archive.thread_delay_ > 0)
    archive.teams_.define(comm.ref, all, defined.groups.at(comm.group).paradigm);
  const Ticks delay = ranks.threads ? archive.thread_delay_ : 0;
  ranks.index = name == nullptr ? archive.definitions_.add_communicator(comm.ref, std::move(all), delay)
                                : archive.definitions_.add_communicator(name->number, std::move(all), name->min_delay);
}

void Archive::Loader::find_free_numbers() {
  const auto beyond = [](auto& free, auto ref) { free = ref < free ? free : std::max(ref, ref + 1); };
  archive.texts_.for_each([&](OTF2_StringRef ref) { beyond(archive.free_.string, ref); });
  for (const auto& [ref, name] : defined.attributes) beyond(archive.free_.attribute, ref);
}

/// Where an archive of this program says more than OTF2 does.
void Archive::Loader::find_own() {
  Own& own = archive.own_;
  for (const auto& [ref, name] : defined.parameters)
    if (string(name) == otf2::own::record) own.record = ref;
  for (const auto& [ref, name] : defined.attributes) {
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

}  // namespace clc
