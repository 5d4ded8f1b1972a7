// An archive that is rewritten, for those who copy a part of it each: definitions, events, snapshots.
//
// Errors   No exception may pass through libotf2: callbacks remember the first record that could not be written, and
//          `check_copied` throws for it once libotf2 has returned.
#pragma once

#include <otf2/otf2.h>

#include <string>

#include "otf2/archive.hpp"
#include "otf2/library.hpp"

namespace clc::otf2 {

/// Remembers the first record that could not be written.
struct CopyOutcome {
  OTF2_ErrorCode result = OTF2_SUCCESS;
  const char* kind = nullptr;
  OTF2_CallbackCode of(OTF2_ErrorCode code, const char* name) noexcept {
    if (code == OTF2_SUCCESS) [[likely]]
      return OTF2_CALLBACK_SUCCESS;
    if (result == OTF2_SUCCESS) {
      result = code;
      kind = name;
    }
    return OTF2_CALLBACK_INTERRUPT;
  }
};

struct Copying {
  Archive& archive;
  OTF2_Reader* reader;  ///< of the archive, a second time
  OTF2_Archive* writer;
  const std::string& name;  ///< of the output in messages

  /// Throws OutputError.
  void check_written(OTF2_ErrorCode result, const char* what) const { check_output(result, name, what); }
  /// After reading with callbacks that write. known_damage: it has been told that not all of it can be read. Throws
  /// InputError, OutputError.
  void check_copied(OTF2_ErrorCode result, const CopyOutcome& outcome, const std::string& where, const char* what,
                    bool known_damage = false) const {
    if (outcome.result != OTF2_SUCCESS)
      fail_output(name, "write a record of kind " + std::string(outcome.kind) + " of " + where, outcome.result);
    if (known_damage)
      static_cast<void>(take_complaint());
    else
      check_input(result, where, what);
  }
};

}  // namespace clc::otf2
