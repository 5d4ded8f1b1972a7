// What a trace lacks that can be read more than once: it is read for that when somebody first asks.
//
//     Search search(input, most_memory);
//     std::unique_ptr<Source> source = search.open_marked(options);   // what is known stands in the events
//
// Place     In programs, ahead of what needs the records matched.
// Cost      One more reading of the trace, and the memory of ends.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "clc/definitions.hpp"
#include "clc/io/format.hpp"
#include "clc/io/source.hpp"
#include "lost/ends.hpp"

namespace clc::lost {

class Search {
 public:
  /// input: as of open_source. refusal: the error where it has more ends and calls than memory; empty: that is none.
  Search(std::string input, std::uint64_t most_memory, std::string refusal = {}, Times times = Times::own)
      : input_(std::move(input)), most_memory_(most_memory), refusal_(std::move(refusal)), times_(times) {}

  /// Reads the trace, unless that was done. False: nothing is told of any channel or communicator. Throws UsageError:
  /// the refusal.
  [[nodiscard]] bool find(SourceOptions from);
  /// The trace from its begin, with what is known. It must not outlive this.
  [[nodiscard]] std::unique_ptr<Source> open_marked(const SourceOptions& from);

  [[nodiscard]] bool has_read() const noexcept { return ends_ != nullptr; }
  /// Once it was read.
  [[nodiscard]] Ends& ends() noexcept { return *ends_; }
  [[nodiscard]] const Definitions& definitions() const noexcept { return definitions_; }
  [[nodiscard]] bool could_read_all() const noexcept { return could_read_all_; }
  /// It was read, and has more ends and calls than memory, so that nothing was found.
  [[nodiscard]] bool too_many() const noexcept { return has_read() && ends_->too_many(); }

 private:
  std::string input_;
  std::uint64_t most_memory_;
  std::string refusal_;
  Times times_;
  bool could_read_all_ = false;
  std::unique_ptr<Ends> ends_;
  Definitions definitions_;
};

}  // namespace clc::lost
