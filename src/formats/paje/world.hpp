// The definitions of a Paje trace: types, values, containers, and which containers are processes.
//
// Rule     A container is a process if links of some type start or end in containers of its type; its contents belong
//          to it. Other containers (machines, the root) are processes of their own, without edges. If the type of
//          links is defined after containers, the rule holds for their events from there on.
// Topology Links that draw the platform of a simulation are not messages. They are recognised by the name of their
//          type, which SimGrid derives from the types of its ends, or by their value if they connect hosts, routers,
//          links or zones.
// Memory   Proportional to the types, values and containers of the trace.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clc/indexes.hpp"
#include "trace/hash.hpp"

namespace clc::formats::paje {

template <class Value>
using ByString = HashMap<std::string, Value>;

using TypeIndex = std::uint32_t;
using ContainerIndex = std::uint32_t;
inline constexpr ContainerIndex no_container = 0xffff'ffff;
inline constexpr ContainerIndex root = 0;
inline constexpr std::uint32_t no_life = 0xffff'ffff;
inline constexpr std::uint32_t no_number = 0xffff'ffff;

struct Type {
  std::string name;
  bool linked = false;                               ///< links start or end in containers of this type
  bool topology = false;                             ///< of links: they draw the platform
  std::uint32_t link_number = no_number;             ///< of links that are messages: among their types in the header
  CommunicatorIndex communicator = no_communicator;  ///< of links of this type, once there was one
  std::vector<ContainerIndex> containers = {};       ///< of this type, until they are linked
};

struct Container {
  std::string identifier;  ///< alias, else name
  std::string name;
  ContainerIndex parent = no_container;
  ContainerIndex owner = root;  ///< the container that is the process of its events
  bool linked = false;          ///< it is such a process, or in one
  bool platform = false;        ///< a part of a simulated platform by its type
  bool alive = true;
  bool used = false;                     ///< it had events besides its creation
  ProcessIndex process = no_process;     ///< of an owner, once there was an event
  std::vector<ContainerIndex> children;  ///< of containers around processes, since it was created last
  std::uint32_t lives = 0;               ///< how often it was created again
  std::uint32_t listed = no_life;        ///< among the children of its parent: in which life of that
  std::string creation;                  ///< of containers around processes: for the bodies of those inside
};

struct Created {
  ContainerIndex container;
  bool fresh;  ///< it was not there before
};

class World {
 public:
  World();

  /// Type by alias or name; new when there is none.
  TypeIndex type(std::string_view word);
  void define_type(std::string_view alias, std::string_view name);
  void define_container_type(std::string_view alias, std::string_view name);
  void define_link_type(std::string_view alias, std::string_view name, std::string_view start, std::string_view end);
  void define_value(std::string_view type, std::string_view alias, std::string_view name);
  /// The name of a value, else the word itself.
  [[nodiscard]] std::string_view value(std::string_view type, std::string_view word);

  /// The number that the alias of a process states: "1" if the first type of containers has a number as alias, as in
  /// SimGrid, else "p1". Not both: their order would decide which process has the number, and corrections change it.
  [[nodiscard]] std::optional<std::uint64_t> stated_number(std::string_view alias) const noexcept;

  /// Container by alias or name; no_container when there is none.
  [[nodiscard]] ContainerIndex find_container(std::string_view word) const;
  Created create(std::string_view alias, std::string_view name, std::string_view type, ContainerIndex parent);
  void set_creation(ContainerIndex container, std::string bytes);
  /// The creations of the containers around it, from the outermost one on. None beyond 64 levels or 512 bytes, so that
  /// it takes no more than a constant for each container.
  [[nodiscard]] std::string around(ContainerIndex container) const;
  /// The container is destroyed. Returns the processes in it that were created since it was itself, when all of them
  /// were destroyed before it; else none, as when it is destroyed again. Containers in it count down to the 64th level.
  [[nodiscard]] std::vector<ProcessIndex> destroy(ContainerIndex container);

  /// A link with such a value at that container is no message.
  [[nodiscard]] bool is_topology(std::string_view type, std::string_view value, ContainerIndex container);
  [[nodiscard]] Type& operator[](TypeIndex index) noexcept { return types_[index]; }
  [[nodiscard]] Container& container(ContainerIndex index) noexcept { return containers_[index]; }
  /// Containers that had events before a type of links made them a part of a process.
  [[nodiscard]] std::uint64_t late() const noexcept { return late_; }
  /// Bytes.
  [[nodiscard]] std::uint64_t memory() const noexcept;

 private:
  static constexpr unsigned most_levels = 64;
  static constexpr std::size_t most_around = 512;

  /// Links end in containers of this type: those that are there are processes from now on, with all inside that has no
  /// process yet.
  void link(TypeIndex type);
  /// Among the children of its parent, once in each life of that.
  void list(ContainerIndex container);
  [[nodiscard]] bool names_its_ends(std::string_view name, std::string_view start, std::string_view end);

  std::optional<bool> numeric_;  ///< the first type of containers has a number as alias
  std::vector<Type> types_;
  ByString<TypeIndex> type_by_word_;
  ByString<std::string> values_;  ///< by number of the type and word
  std::vector<Container> containers_;
  ByString<ContainerIndex> container_by_alias_;
  ByString<ContainerIndex> container_by_name_;
  std::uint64_t late_ = 0;
  std::uint32_t link_types_ = 0;  ///< whose links are messages
  std::string scratch_;
  std::uint64_t words_memory_ = 0;  ///< bytes of the words of containers and values
};

}  // namespace clc::formats::paje
