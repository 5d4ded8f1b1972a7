#include "common/reader.hpp"

#include "clc/error.hpp"
#include "clc/io/batch.hpp"

namespace clc::formats {

bool Reader::read(Batch& batch) {
  lines_.begin_batch();
  batch.notes.clear();  // records stay until parse() writes over them: making them anew costs more than reading them
  if (header_.size() > 0) {
    batch.clear();
    if (header_.give(batch, batch_size)) return true;
  }
  for (;;) {
    if (!fault_.empty()) {
      batch.clear();
      throw InputError(fault_);
    }
    if (buffer_.begin() != end_) {
      const std::size_t count = parse(batch, most_);
      // Where batches are cut short again and again, room for whole ones would cost more than their records.
      most_ = std::clamp(2 * count, smallest_batch, largest_);
      if (count > 0 || !batch.notes.empty()) return true;
    }
    if (fault_.empty() && !more()) {
      batch.clear();
      return false;
    }
  }
}

void Reader::read_header() {
  Batch notes;
  for (;;) {
    static_cast<void>(parse(notes, 0));
    for (const Batch::Note& note : notes.notes) keep_note(note.line, note.place);
    const bool full = notes.notes.size() == batch_size;
    notes.notes.clear();
    if (!fault_.empty() || header_.size() > header_limit) break;
    if (full) continue;
    if (buffer_.begin() != end_) break;  // a record
    try {
      if (!more()) break;
    } catch (const InputError& error) {
      fault_ = error.what();
      end_ = buffer_.begin();  // nothing more can be parsed
    }
  }
  lines_.end_header();
}

}  // namespace clc::formats
