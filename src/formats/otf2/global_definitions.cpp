#include "otf2/global_definitions.hpp"

#include "otf2/library.hpp"

namespace clc::otf2 {

namespace {

/// Where the callbacks put what they get.
struct Taken {
  Archive& archive;
  Texts& texts;
  GlobalDefinitions all;

  static Taken& of(void* user) { return *static_cast<Taken*>(user); }
};

GlobalDefinitions& all_of(void* user) { return Taken::of(user).all; }

/// When and where: the clock, hosts, processes, threads.
void take_places(OTF2_GlobalDefReaderCallbacks* to) {
  OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(
      to, [](void* user, std::uint64_t per_second, std::uint64_t, std::uint64_t, std::uint64_t) {
        all_of(user).resolution = per_second;
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(
      to, [](void* user, OTF2_SystemTreeNodeRef self, OTF2_StringRef name, OTF2_StringRef class_name,
             OTF2_SystemTreeNodeRef parent) {
        GlobalDefinitions::Node& node = all_of(user).nodes[self];
        node = {name, class_name, parent, node.shared_memory};
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeDomainCallback(
      to, [](void* user, OTF2_SystemTreeNodeRef node, OTF2_SystemTreeDomain domain) {
        const auto found = all_of(user).nodes.find(node);
        if (found != all_of(user).nodes.end() && domain == OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY)
          found->second.shared_memory = true;
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(
      to, [](void* user, OTF2_LocationGroupRef self, OTF2_StringRef name, OTF2_LocationGroupType type,
             OTF2_SystemTreeNodeRef node, OTF2_LocationGroupRef creator) {
        all_of(user).groups_of_locations[self] = {name, node, creator, type};
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(
      to, [](void* user, OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType type, std::uint64_t events,
             OTF2_LocationGroupRef group) {
        all_of(user).locations.push_back({self, name, type, events, group});
        return OTF2_CALLBACK_SUCCESS;
      });
}

/// Strings, and what they are the names of.
void take_names(OTF2_GlobalDefReaderCallbacks* to) {
  OTF2_GlobalDefReaderCallbacks_SetStringCallback(to, [](void* user, OTF2_StringRef self, const char* text) {
    Taken::of(user).texts.add(self, text);
    return OTF2_CALLBACK_SUCCESS;
  });
  OTF2_GlobalDefReaderCallbacks_SetRegionCallback(
      to, [](void* user, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef, OTF2_StringRef, OTF2_RegionRole role,
             OTF2_Paradigm paradigm, OTF2_RegionFlag, OTF2_StringRef, std::uint32_t, std::uint32_t) {
        all_of(user).regions.emplace_back(self, name);
        if (role == OTF2_REGION_ROLE_BARRIER || role == OTF2_REGION_ROLE_IMPLICIT_BARRIER)
          all_of(user).barriers.emplace_back(self, paradigm);
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_GlobalDefReaderCallbacks_SetParadigmCallback(
      to, [](void* user, OTF2_Paradigm self, OTF2_StringRef, OTF2_ParadigmClass class_of) {
        all_of(user).paradigms[self] = class_of;
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_GlobalDefReaderCallbacks_SetParameterCallback(
      to, [](void* user, OTF2_ParameterRef self, OTF2_StringRef name, OTF2_ParameterType) {
        all_of(user).parameters.emplace_back(self, name);
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(
      to, [](void* user, OTF2_AttributeRef self, OTF2_StringRef name, OTF2_StringRef, OTF2_Type) {
        all_of(user).attributes.emplace_back(self, name);
        return OTF2_CALLBACK_SUCCESS;
      });
}

/// Who talks to whom.
void take_communicators(OTF2_GlobalDefReaderCallbacks* to) {
  OTF2_GlobalDefReaderCallbacks_SetGroupCallback(
      to, [](void* user, OTF2_GroupRef self, OTF2_StringRef, OTF2_GroupType type, OTF2_Paradigm paradigm,
             OTF2_GroupFlag flags, std::uint32_t count, const std::uint64_t* members) {
        GlobalDefinitions& all = all_of(user);
        std::vector<std::uint64_t> list(members, members + count);
        if (type == OTF2_GROUP_TYPE_COMM_LOCATIONS) all.communicating[paradigm] = list;
        const auto [entry, fresh] = all.groups.try_emplace(self);
        if (!fresh) all.twice.insert(self);
        // The group of a communicator is no list of all locations, where both have one number.
        if (fresh || entry->second.type == OTF2_GROUP_TYPE_COMM_LOCATIONS || type == entry->second.type)
          entry->second = {type, paradigm, flags, std::move(list)};
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_GlobalDefReaderCallbacks_SetCommCallback(
      to, [](void* user, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group, OTF2_CommRef, OTF2_CommFlag) {
        all_of(user).comms.push_back({self, name, group, std::nullopt});
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(
      to, [](void* user, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef a, OTF2_GroupRef b, OTF2_CommRef,
             OTF2_CommFlag) {
        all_of(user).comms.push_back({self, name, a, b});
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_GlobalDefReaderCallbacks_SetRmaWinCallback(
      to, [](void* user, OTF2_RmaWinRef self, OTF2_StringRef, OTF2_CommRef comm, OTF2_RmaWinFlag) {
        Taken::of(user).archive.communicators().define_window(self, comm);
        return OTF2_CALLBACK_SUCCESS;
      });
}

}  // namespace

GlobalDefinitions read_global_definitions(Archive& archive, Texts& texts) {
  Taken taken{archive, texts, {}};
  OTF2_Reader* const reader = archive.reader();
  OTF2_GlobalDefReader* const definitions = OTF2_Reader_GetGlobalDefReader(reader);
  if (definitions == nullptr) fail_input(archive.anchor(), "open the global definitions");
  const Owned<OTF2_GlobalDefReaderCallbacks, OTF2_GlobalDefReaderCallbacks_Delete> callbacks(
      OTF2_GlobalDefReaderCallbacks_New());
  take_places(callbacks.get());
  take_names(callbacks.get());
  take_communicators(callbacks.get());
  check_input(OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks.get(), &taken), archive.anchor(),
              "read the global definitions");
  archive.definitions_damaged = !archive.readable([&] {
    check_read(archive.read_part(reader, definitions, OTF2_Reader_ReadAllGlobalDefinitions,
                                 OTF2_Reader_ReadGlobalDefinitions, archive.file_of(".def"), Part::definitions),
               archive.anchor(), "read the global definitions");
  });
  texts.settle();
  OTF2_Reader_CloseGlobalDefReader(reader, definitions);
  return std::move(taken.all);
}

}  // namespace clc::otf2
