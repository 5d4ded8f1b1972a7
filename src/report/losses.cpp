#include "report/losses.hpp"

#include <set>
#include <tuple>

#include "trace/printable.hpp"

namespace clc {

namespace {

std::uint64_t number_of(ProcessIndex process, const Definitions& definitions) {
  return process < definitions.processes().size() ? definitions.processes()[process].number : process;
}

std::uint64_t number_of_communicator(CommunicatorIndex communicator, const Definitions& definitions) {
  const auto& all = definitions.communicators();
  return communicator < all.size() ? all[communicator].number : communicator;
}

}  // namespace

std::string process_words(ProcessIndex process, const Definitions& definitions) {
  if (process >= definitions.processes().size()) return "?";
  const Process& known = definitions.processes()[process];
  const std::string number = std::to_string(known.number);
  return known.name.empty() || known.name == number ? number : number + ' ' + printable(known.name, 40);
}

std::string words_of(const Loss& loss, const Definitions& definitions, bool ended_early) {
  return std::string(ended_early ? "missing " : "lost ") + (loss.send ? "send" : "receive") + ": process " +
         process_words(loss.sender, definitions) + " to " + process_words(loss.receiver, definitions) +
         ", communicator " + std::to_string(number_of_communicator(loss.communicator, definitions)) + ", tag " +
         std::to_string(loss.tag) + ", the " + (loss.send ? "receive" : "send") + " is at tick " +
         std::to_string(loss.recorded.ticks());
}

std::uint64_t shifted_channels(std::span<const Loss> losses, std::span<const Time> last, Ticks apart) {
  std::set<std::tuple<ProcessIndex, ProcessIndex, CommunicatorIndex, std::int64_t>> channels;
  for (const Loss& loss : losses) {
    const ProcessIndex missing = loss.send ? loss.sender : loss.receiver;
    if (missing < last.size() && subtract_saturating(last[missing].ticks(), loss.recorded.ticks()) > apart)
      channels.emplace(loss.sender, loss.receiver, loss.communicator, loss.tag);
  }
  return channels.size();
}

void write_losses(JsonWriter& json, std::span<const Loss> losses, const Definitions& definitions) {
  json.begin_array();
  for (const Loss& loss : losses) {
    json.begin_object();
    json.field("sender", number_of(loss.sender, definitions)).field("receiver", number_of(loss.receiver, definitions));
    json.field("communicator", number_of_communicator(loss.communicator, definitions)).field("tag", loss.tag);
    json.field("missing", loss.send ? "send" : "receive").field("other_end_ticks", loss.recorded.ticks());
    json.end_object();
  }
  json.end_array();
}

}  // namespace clc
