// What is called for each kind of event of a location: with its fields straight from the file, or as libotf2 tells
// them.
//
// Place    Between PlainEvents or libotf2 and who takes the events: a User, which may have
//              void attend(const OTF2_AttributeList* attributes)   // called ahead of each event; null: not known
//              const NumberTables* numbers() const                 // of the location; null: its numbers are global
//              bool takes(OTF2_TimeStamp time)                     // of libotf2's; false: it stops ahead of the event
#pragma once

#include <otf2/otf2.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

#include "otf2/chunks.hpp"
#include "otf2/event_kinds.hpp"
#include "otf2/library.hpp"
#include "otf2/number_tables.hpp"
#include "otf2/plain_events.hpp"

namespace clc::otf2 {

/// A field with a number that the location may have for something of that type.
template <std::size_t field, OTF2_MappingType type>
struct Mapped {
  template <class Fields>
  static void map(Fields& fields, const NumberTables& tables) noexcept {
    std::get<field>(fields) = tables.global<type>(std::get<field>(fields));
  }
};

template <class User>
struct EventCalls {
  /// False: libotf2 has to read it.
  using Plain = bool (*)(User& user, OTF2_TimeStamp time, const char* begin, const char* end);

  static User& of(void* user, const OTF2_AttributeList* attributes) {
    auto& self = *static_cast<User*>(user);
    if constexpr (requires { self.attend(attributes); }) self.attend(attributes);
    return self;
  }

  template <EventKind kind, class Callback, class Call, class... OwnNumbers>
  struct Both;
  template <EventKind kind, class... Fields, class Call, class... OwnNumbers>
  struct Both<kind,
              OTF2_CallbackCode (*)(OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void*, OTF2_AttributeList*,
                                    Fields...),
              Call, OwnNumbers...> {
    static OTF2_CallbackCode callback(OTF2_LocationRef /*location*/, OTF2_TimeStamp time, std::uint64_t /*position*/,
                                      void* user, OTF2_AttributeList* attributes, Fields... fields) {
      User& self = of(user, attributes);
      if constexpr (requires { self.takes(time); })
        if (!self.takes(time)) [[unlikely]]
          return OTF2_CALLBACK_INTERRUPT;
      Call{}(self, time, fields...);
      return OTF2_CALLBACK_SUCCESS;
    }
    static bool plain(User& user, OTF2_TimeStamp time, const char* begin, const char* end) {
      PackedFields packed(begin, end);
      std::tuple<Fields...> fields{next<Fields>(packed)...};  // in this order
      if (!packed.valid()) return false;
      if constexpr (sizeof...(OwnNumbers) > 0)
        if (const NumberTables* const numbers = user.numbers()) (OwnNumbers::map(fields, *numbers), ...);
      std::apply([&](Fields... each) { Call{}(of(&user, nullptr), time, each...); }, fields);
      return true;
    }
    static constexpr Plain plain_or_none() noexcept {
      if constexpr ((std::is_integral_v<Fields> && ...))
        return &plain;
      else
        return nullptr;
    }
    template <class Field>
    static Field next(PackedFields& packed) noexcept {
      static_assert(sizeof...(Fields) <= PackedFields::most);
      if constexpr (kind == EventKind::BufferFlush) {
        packed.skip(sizeof(Field));  // its end is not packed, and nobody asks for it
        return 0;
      } else if constexpr (sizeof(Field) == 1) {
        return packed.byte();
      } else if constexpr (sizeof(Field) == 4) {
        return static_cast<Field>(packed.next32());
      } else {
        static_assert(sizeof(Field) == 8);
        return static_cast<Field>(packed.next64());
      }
    }
  };

  /// call(user, time, fields...). OwnNumbers: Mapped ones, of those that it uses.
  template <EventKind kind, class... OwnNumbers, class Callback, class Call>
  void set(OTF2_ErrorCode (*setter)(OTF2_EvtReaderCallbacks*, Callback), Call /*call*/) {
    using Entry = Both<kind, Callback, Call, OwnNumbers...>;
    setter(all.get(), &Entry::callback);
    plain[number(kind)] = Entry::plain_or_none();
  }

  Owned<OTF2_EvtReaderCallbacks, OTF2_EvtReaderCallbacks_Delete> all{OTF2_EvtReaderCallbacks_New()};
  std::array<Plain, number(EventKind::unknown)> plain{};
};

}  // namespace clc::otf2
