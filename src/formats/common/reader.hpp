// Base class of the readers of all formats: notes before the first record, batches, and faults that are deferred until
// everything before them has been delivered.
//
// Protocol   The constructor of a format reads the start of its file, then calls read_header.
// Cost       Two virtual calls per batch.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "bytes/input_buffer.hpp"
#include "clc/io/source.hpp"
#include "common/definition_lines.hpp"
#include "common/kept_notes.hpp"

namespace clc::formats {

class Reader : public Source {
 public:
  [[nodiscard]] const Definitions& definitions() const noexcept final { return lines_.definitions(); }
  [[nodiscard]] std::uint64_t bytes_read() const noexcept final { return buffer_.bytes().consumed(); }
  [[nodiscard]] std::uint64_t bytes_total() const noexcept final { return buffer_.bytes().total(); }
  bool read(Batch& batch) final;
  /// Called by read before definitions() change, at most once per call.
  void on_definitions(std::function<void()> call) { lines_.on_change(std::move(call)); }
  /// The most records of a batch; for many sources at the same time.
  void limit_batches(std::size_t most) noexcept {
    most_ = smallest_batch;
    largest_ = std::clamp(most, smallest_batch, batch_size);
  }

 protected:
  static constexpr std::size_t batch_size = 4096;
  static constexpr std::size_t smallest_batch = 64;

  /// longest: bytes of the longest entry.
  Reader(std::string name, std::unique_ptr<ByteSource> bytes, std::size_t longest)
      : name_(std::move(name)), buffer_(std::move(bytes), longest), end_(buffer_.begin()) {}

  /// Reads up to the first record, so that resolution and minimum delay are known.
  void read_header();

  /// Parses entries up to end_, at most `most` records and batch_size notes; returns the number of records.
  virtual std::size_t parse(Batch& batch, std::size_t most) = 0;
  /// Advances end_ once everything before it has been parsed. False at the end of the trace. May set the fault.
  virtual bool more() = 0;
  /// All notes before the first record have been delivered.
  [[nodiscard]] bool header_given() const noexcept { return header_.size() == 0; }
  /// The next batch is small.
  void shorten_batch() noexcept { most_ = smallest_batch; }
  /// Keeps a note that stands before the first record.
  void keep_note(Body line, std::uint64_t place) { header_.keep(line, place); }

  std::string name_;
  InputBuffer buffer_;
  DefinitionLines lines_;
  const char* end_;    ///< end of the entries that can be parsed now, which start at buffer_.begin()
  std::string fault_;  ///< thrown by the next read

 private:
  static constexpr std::size_t header_limit = std::size_t{16} << 20;

  KeptNotes header_;                  ///< notes before the first record
  std::size_t most_ = batch_size;     ///< records of the next batch
  std::size_t largest_ = batch_size;  ///< of all batches
};

}  // namespace clc::formats
