#include "paje/definitions.hpp"

#include <initializer_list>
#include <utility>

namespace clc::formats::paje {

namespace {

struct FieldName {
  std::string_view name;
  Field field;
};

/// The name of today comes first.
constexpr std::array<FieldName, 19> field_names{{
    {"Time", Field::time},
    {"Type", Field::type},
    {"Name", Field::name},
    {"Alias", Field::alias},
    {"Container", Field::container},
    {"StartContainer", Field::start_container},
    {"EndContainer", Field::end_container},
    {"StartContainerType", Field::start_container_type},
    {"EndContainerType", Field::end_container_type},
    {"Value", Field::value},
    {"Key", Field::key},
    {"Size", Field::size},
    {"Recorded", Field::recorded},
    {"ContainerType", Field::type},
    {"EntityType", Field::type},
    {"SourceContainer", Field::start_container},
    {"DestContainer", Field::end_container},
    {"SourceContainerType", Field::start_container_type},
    {"DestContainerType", Field::end_container_type},
}};

constexpr std::array<std::pair<std::string_view, Kind>, 12> kinds{{
    {"PajeDefineContainerType", Kind::define_container_type},
    {"PajeDefineLinkType", Kind::define_link_type},
    {"PajeDefineStateType", Kind::define_type},
    {"PajeDefineVariableType", Kind::define_type},
    {"PajeDefineEventType", Kind::define_type},
    {"PajeDefineEntityValue", Kind::define_value},
    {"PajeCreateContainer", Kind::create_container},
    {"PajeDestroyContainer", Kind::destroy_container},
    {"PajePushState", Kind::push_state},
    {"PajePopState", Kind::pop_state},
    {"PajeStartLink", Kind::start_link},
    {"PajeEndLink", Kind::end_link},
}};

}  // namespace

Kind kind_of(std::string_view event_name) noexcept {
  for (const auto& [name, kind] : kinds)
    if (name == event_name) return kind;
  return Kind::other;
}

Field field_of(std::string_view name) noexcept {
  for (const FieldName& known : field_names)
    if (known.name == name) return known.field;
  return Field::other;
}

std::string_view name_of(Field field) noexcept {
  for (const FieldName& known : field_names)
    if (known.field == field) return known.name;
  return "field";
}

std::string_view Definition::lacks() const noexcept {
  const auto first_of = [&](std::initializer_list<Field> needed) {
    for (const Field field : needed)
      if (!has(field)) return name_of(field);
    return std::string_view();
  };
  switch (kind) {
    case Kind::define_container_type:
    case Kind::define_link_type:
    case Kind::define_type:
    case Kind::define_value:
      return has(Field::alias) ? std::string_view() : first_of({Field::name});
    case Kind::create_container:
      return has(Field::alias) ? first_of({Field::time, Field::container})
                               : first_of({Field::time, Field::container, Field::name});
    case Kind::destroy_container:
      return has(Field::alias) ? first_of({Field::time}) : first_of({Field::time, Field::name});
    case Kind::push_state:
    case Kind::pop_state:
      return first_of({Field::time, Field::container});
    case Kind::start_link:
      return first_of({Field::time, Field::type, Field::start_container, Field::key});
    case Kind::end_link:
      return first_of({Field::time, Field::type, Field::end_container, Field::key});
    case Kind::other:
      break;
  }
  return {};
}

}  // namespace clc::formats::paje
