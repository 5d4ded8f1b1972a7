#include "filter/reading.hpp"

#include <bit>

#include "clc/error.hpp"
#include "clc/io/batch.hpp"
#include "clc/parameters.hpp"
#include "common/program.hpp"

namespace clc::filter {

namespace {

/// Warns once when definitions alone take more than --max-memory.
class DefinitionWatch {
 public:
  explicit DefinitionWatch(const Options& options) : options_(options) {}
  /// After the batch was read; bytes: of all definitions up to its end.
  void look(const Source& source, const Batch& batch, std::uint64_t bytes, tool::Progress& progress) {
    if (told_ || options_.quiet || bytes <= options_.parameters.max_memory) return;
    told_ = true;
    const std::string place = batch.places.empty()
                                  ? input_name(options_) + ": byte " + std::to_string(source.bytes_read())
                                  : source.describe(batch.places.back());
    progress.clear();
    tool::warn(program, place + ": definitions up to here take " + mebibytes(bytes) + ", more than --max-memory (" +
                            mebibytes(options_.parameters.max_memory) + "); they are kept, and only " +
                            mebibytes(Parameters::least_memory) + " is left for events; use --max-memory " +
                            enough(bytes) + " or more, or remove definitions that no record uses");
  }

 private:
  [[nodiscard]] static std::string mebibytes(std::uint64_t bytes) { return std::to_string(bytes >> 20U) + " MiB"; }
  /// The next power of two that leaves as much to events.
  [[nodiscard]] static std::string enough(std::uint64_t bytes) {
    return std::to_string(std::bit_ceil(2 * bytes) >> 20U) + 'M';
  }

  const Options& options_;
  bool told_ = false;
};

}  // namespace

Outcome read_all(Source& source, const Options& options, tool::Progress& progress,
                 const std::function<bool(const Batch&)>& take, const std::function<std::uint64_t()>& memory) {
  Outcome outcome;
  DefinitionWatch definitions(options);
  Batch batch;
  for (bool more = true; more;) {
    try {
      more = source.read(batch);
    } catch (const InputError& error) {
      outcome.error = tool::with_flags(error.what());
      break;
    }
    more = take(batch) && more;
    definitions.look(source, batch, memory(), progress);
    outcome.events += batch.events.size();
    progress.show(source.bytes_read(), source.bytes_total(), outcome.events);
  }
  return outcome;
}

}  // namespace clc::filter
