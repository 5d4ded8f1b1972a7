// Wraps libotf2: opening, closing, and its messages.
//
// Errors   libotf2 would print its errors by itself; here they are collected, so that users see one
//          line. A failed call throws an InputError or an OutputError that ends with them.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "clc/error.hpp"

namespace clc::otf2 {

/// Frees what a call of libotf2 made: Owned<OTF2_EvtReaderCallbacks, OTF2_EvtReaderCallbacks_Delete>.
template <auto release>
struct Release {
  template <class Thing>
  void operator()(Thing* thing) const noexcept {
    static_cast<void>(release(thing));
  }
};
template <class Thing, auto release>
using Owned = std::unique_ptr<Thing, Release<release>>;

/// What libotf2 has complained about since the last call, in its words, the first of it; empty: nothing.
[[nodiscard]] std::string take_complaint();
/// Keeps the complaints of libotf2 from now on instead of printing them.
void keep_complaints();

/// What stands for a call that ended at the place where a file was cut off.
inline constexpr OTF2_ErrorCode cut_off = OTF2_ERROR_END_OF_BUFFER;

/// Throws InputError when a call has failed: "NAME: cannot WHAT: WHY; REMEDY".
void check_input(OTF2_ErrorCode result, const std::string& name, std::string_view what);
/// After reading without writing: the same, also when libotf2 has complained. It goes on behind some damage.
void check_read(OTF2_ErrorCode result, const std::string& name, std::string_view what);
/// Throws InputError in any case.
[[noreturn]] void fail_input(const std::string& name, std::string_view what, OTF2_ErrorCode result = OTF2_SUCCESS);
/// Throws error, which SourceOptions::keep_going would pass over, with that option as a remedy unless files were too
/// many.
[[noreturn]] void fail_without_keep_going(const InputError& error);
/// Throws OutputError when a call has failed, or libotf2 has complained since the last take_complaint: it does not
/// return what goes wrong when it writes to its files.
void check_output(OTF2_ErrorCode result, const std::string& name, std::string_view what);
/// Throws OutputError in any case.
[[noreturn]] void fail_output(const std::string& name, std::string_view what, OTF2_ErrorCode result = OTF2_SUCCESS);

using ReaderHandle = Owned<OTF2_Reader, OTF2_Reader_Close>;

/// Opens an archive by its anchor file. Throws InputError.
[[nodiscard]] ReaderHandle open_reader(const std::string& anchor);

enum class Part : std::uint8_t { events, snapshots, definitions, markers };

inline constexpr std::uint64_t smallest_chunk = OTF2_CHUNK_SIZE_MIN;
inline constexpr std::uint64_t largest_chunk = OTF2_CHUNK_SIZE_MAX;

/// How the files of an archive are laid out; chunks in bytes.
struct Layout {
  std::uint64_t event_chunk = std::uint64_t{256} * 1024;
  std::uint64_t definition_chunk = std::uint64_t{256} * 1024;
  OTF2_Compression compression = OTF2_COMPRESSION_NONE;
  [[nodiscard]] std::uint64_t chunk_of(Part part) const noexcept {
    return part == Part::events || part == Part::snapshots ? event_chunk : definition_chunk;
  }
  [[nodiscard]] bool compressed() const noexcept { return compression != OTF2_COMPRESSION_NONE; }
};
/// Throws InputError.
[[nodiscard]] Layout layout_of(OTF2_Reader* reader, const std::string& anchor);

/// Of an archive, in the order in which it has them.
struct Property {
  std::string name;
  std::string value;
};
/// Throws InputError.
[[nodiscard]] std::vector<Property> properties_of(OTF2_Reader* reader, const std::string& anchor);

}  // namespace clc::otf2
