// Rewrites an archive with new times: every definition, event, snapshot, marker and thumbnail is read without
// mapping or clock offsets and written unchanged. On demand, events get their recorded time as an attribute, or keep
// their time in the file: then the archive gets clock offsets instead.
//
// Memory   Some locations at a time, a chunk of events for each thread; libotf2's chunks of an event file are written
//          out when they reach `chunk_memory` bytes.
// Threads  Event files are copied in several threads where libotf2 is not needed for that, all else in the caller's.
// Errors   InputError if the archive cannot be read a second time, OutputError if the copy cannot be
//          written. The contents of the folder are then unusable.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/corrections.hpp"
#include "otf2/archive.hpp"
#include "trace/offsets.hpp"

namespace clc::otf2 {

/// Several programs rewrite an archive together: each the files of its own locations, in a folder of its own, where it
/// leaves them; the first all other files.
struct Share {
  std::vector<bool> own;  ///< by location
  bool first = false;
  /// Called when the own locations are copied. Takes what the first has to know of them, returns what all gave.
  std::function<std::vector<std::vector<std::int64_t>>(const std::vector<std::int64_t>&)> exchange;
};

/// See SinkOptions.
struct RewriteOptions {
  bool keep_original = false;
  std::string provenance;
  std::shared_ptr<const Offsets> clock_offsets;
  /// Added to all corrected times or, with clock_offsets, to those, because readers know no negative times.
  Ticks raise = 0;
  unsigned threads = 1;
  std::optional<Share> share = {};
};

/// folder: exists and is empty. name: of the folder in messages.
void rewrite(Archive& archive, formats::Corrections& corrections, const std::string& folder, const std::string& name,
             const RewriteOptions& options);

}  // namespace clc::otf2
