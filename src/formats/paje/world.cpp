#include "paje/world.hpp"

#include <utility>

#include "common/words.hpp"
#include "trace/heap.hpp"

namespace clc::formats::paje {

namespace {

/// What SimGrid calls the parts of a platform: L and a number are the zones at that depth.
bool is_platform(std::string_view type) noexcept {
  if (type == "HOST" || type == "ROUTER" || type == "LINK" || type == "AS") return true;
  return type.size() > 1 && type.front() == 'L' && type.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

}  // namespace

World::World() {
  types_.push_back({"0"});
  type_by_word_.emplace("0", 0);
  containers_.emplace_back();
  containers_[root].identifier.assign(1, '0');
  containers_[root].name.assign(1, '0');
  container_by_alias_.emplace("0", root);
}

TypeIndex World::type(std::string_view word) {
  if (const auto known = type_by_word_.find(word); known != type_by_word_.end()) return known->second;
  const auto index = static_cast<TypeIndex>(types_.size());
  types_.push_back({std::string(word)});
  type_by_word_.emplace(word, index);
  return index;
}

void World::define_type(std::string_view alias, std::string_view name) {
  if (alias.empty()) alias = name;
  const TypeIndex index = type(alias);
  if (name.empty()) return;
  types_[index].name = name;
  type_by_word_.try_emplace(std::string(name), index);
}

void World::define_container_type(std::string_view alias, std::string_view name) {
  std::uint64_t number = 0;
  if (!numeric_) numeric_ = to_number(alias.empty() ? name : alias, number);
  define_type(alias, name);
}

std::optional<std::uint64_t> World::stated_number(std::string_view alias) const noexcept {
  if (!numeric_.value_or(false)) {
    if (!alias.starts_with('p')) return {};
    alias.remove_prefix(1);
  }
  std::uint64_t number = 0;
  return to_number(alias, number) ? std::optional(number) : std::nullopt;
}

void World::define_link_type(std::string_view alias, std::string_view name, std::string_view start,
                             std::string_view end) {
  define_type(alias, name);
  const TypeIndex index = type(alias.empty() ? name : alias);
  if (names_its_ends(name, start, end)) {
    types_[index].topology = true;
    return;
  }
  if (types_[index].link_number == no_number) types_[index].link_number = link_types_++;
  for (const std::string_view word : {start, end})
    if (!word.empty()) link(type(word));
}

void World::link(TypeIndex type) {
  if (std::exchange(types_[type].linked, true)) return;
  for (const ContainerIndex first : std::exchange(types_[type].containers, {})) {
    // Each container is linked once, and then no more looked into.
    std::vector<ContainerIndex> open;
    if (!containers_[first].linked) open.push_back(first);
    while (!open.empty()) {
      Container& inner = containers_[open.back()];
      late_ += inner.used && open.back() != first;
      open.pop_back();
      inner.linked = true;
      inner.owner = first;
      for (const ContainerIndex child : std::exchange(inner.children, {}))
        if (!containers_[child].linked) open.push_back(child);
    }
  }
}

/// "L1-HOST3-LINK4", or without the numbers of the types: links of the zone between its parts.
bool World::names_its_ends(std::string_view name, std::string_view start, std::string_view end) {
  if (start.empty() || end.empty()) return false;
  const std::string first = types_[type(start)].name;
  const std::string second = types_[type(end)].name;
  if (!is_platform(first) || !is_platform(second)) return false;
  for (const std::string_view from : {std::string_view(), start})
    for (const std::string_view to : {std::string_view(), end})
      if (name.ends_with(std::string("-").append(first).append(from) + '-' + second + std::string(to))) return true;
  return false;
}

bool World::is_topology(std::string_view type_word, std::string_view value, ContainerIndex container) {
  if (value == "topology" || types_[type(type_word)].topology) return true;
  return (value == "G" || type_word == "G") && containers_[container].platform;
}

void World::define_value(std::string_view type_word, std::string_view alias, std::string_view name) {
  if (alias.empty() || name.empty()) return;
  const auto [value, fresh] =
      values_.insert_or_assign(std::to_string(type(type_word)).append(1, ' ').append(alias), std::string(name));
  if (fresh) words_memory_ += on_heap(value->first) + on_heap(value->second);
}

std::string_view World::value(std::string_view type_word, std::string_view word) {
  scratch_ = std::to_string(type(type_word));
  scratch_.append(1, ' ').append(word);
  const auto known = values_.find(std::string_view(scratch_));
  return known == values_.end() ? word : std::string_view(known->second);
}

ContainerIndex World::find_container(std::string_view word) const {
  if (const auto known = container_by_alias_.find(word); known != container_by_alias_.end()) return known->second;
  const auto known = container_by_name_.find(word);
  return known == container_by_name_.end() ? no_container : known->second;
}

Created World::create(std::string_view alias, std::string_view name, std::string_view type_word,
                      ContainerIndex parent) {
  const std::string_view identifier = alias.empty() ? name : alias;
  auto index = static_cast<ContainerIndex>(containers_.size());
  if (const auto known = container_by_alias_.find(identifier); known != container_by_alias_.end()) {
    // Its number goes on: the process of a container that comes again is the same.
    index = known->second;
    Container& again = containers_[index];
    if (again.alive) return {index, false};
    again.alive = true;
    again.children.clear();
    if (!again.linked && again.parent != no_container && containers_[again.parent].linked) {
      again.linked = true;
      again.owner = containers_[again.parent].owner;
    }
    ++again.lives;
    list(index);
    return {index, true};
  }
  const Container& above = containers_[parent];
  Container made;
  made.identifier = identifier;
  made.name = name.empty() ? identifier : name;
  made.parent = parent;
  made.platform = is_platform(types_[type(type_word)].name);
  made.linked = above.linked || types_[type(type_word)].linked;
  made.owner = above.linked ? above.owner : index;
  words_memory_ += 2 * (on_heap(made.identifier) + on_heap(made.name));  // as keys, too
  if (!made.linked) types_[type(type_word)].containers.push_back(index);
  containers_.push_back(std::move(made));
  list(index);
  container_by_alias_.emplace(identifier, index);
  if (!name.empty()) container_by_name_.insert_or_assign(std::string(name), index);
  return {index, true};
}

void World::set_creation(ContainerIndex container, std::string bytes) {
  std::string& creation = containers_[container].creation;
  words_memory_ -= on_heap(creation);
  creation = std::move(bytes);
  words_memory_ += on_heap(creation);
}

std::string World::around(ContainerIndex container) const {
  std::string all;
  ContainerIndex at = containers_[container].parent;
  for (unsigned level = 0; level < most_levels && at != no_container; ++level, at = containers_[at].parent) {
    const std::string& creation = containers_[at].creation;
    if (all.size() + creation.size() > most_around) break;
    all.insert(0, creation);
  }
  return all;
}

std::uint64_t World::memory() const noexcept {
  return on_heap(types_) + on_heap(type_by_word_) + on_heap(values_) + on_heap(containers_) +
         on_heap(container_by_alias_) + on_heap(container_by_name_) + containers_.size() * 3 * sizeof(ContainerIndex) +
         words_memory_;
}

void World::list(ContainerIndex container) {
  Container& child = containers_[container];
  if (child.parent == no_container || containers_[child.parent].linked) return;
  Container& parent = containers_[child.parent];
  if (std::exchange(child.listed, parent.lives) != parent.lives) parent.children.push_back(container);
}

std::vector<ProcessIndex> World::destroy(ContainerIndex container) {
  std::vector<ProcessIndex> processes;
  if (!std::exchange(containers_[container].alive, false) || containers_[container].linked) return processes;
  struct Open {
    ContainerIndex container;
    unsigned level;
  };
  std::vector<Open> open{{container, 0}};
  while (!open.empty()) {
    const auto [at, level] = open.back();
    open.pop_back();
    const Container& inner = containers_[at];
    if (inner.linked && inner.alive) return {};
    if (inner.linked && inner.process != no_process) processes.push_back(inner.process);
    if (inner.linked || level == most_levels) continue;
    for (const ContainerIndex child : inner.children) open.push_back({child, level + 1});
  }
  return processes;
}

}  // namespace clc::formats::paje
