#include "report/losses.hpp"

#include <algorithm>
#include <tuple>

#include "trace/printable.hpp"

namespace clc {

std::uint64_t number_of(ProcessIndex process, const Definitions& definitions) {
  return process < definitions.processes().size() ? definitions.processes()[process].number : process;
}

std::uint64_t number_of_communicator(CommunicatorIndex communicator, const Definitions& definitions) {
  const auto& all = definitions.communicators();
  return communicator < all.size() ? all[communicator].number : communicator;
}

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

ClocksApart::ClocksApart(std::span<const Loss> losses) {
  for (const Loss& loss : losses) lossy_.insert(std::minmax(loss.sender, loss.receiver));
}

void ClocksApart::add(ProcessIndex sender, ProcessIndex receiver, Ticks smallest_delay) {
  const Ticks apart = std::max(smallest_delay, subtract_saturating(0, smallest_delay));
  any_ = std::max(any_, apart);
  if (!lossy_.contains(std::minmax(sender, receiver))) sound_ = std::max(sound_.value_or(0), apart);
}

std::vector<std::int64_t> ClocksApart::numbers() const { return {any_, sound_.value_or(-1)}; }

void ClocksApart::join(std::span<const std::int64_t> numbers) noexcept {
  any_ = std::max(any_, numbers[0]);
  if (numbers[1] >= 0) sound_ = std::max(sound_.value_or(0), numbers[1]);
}

Ticks clocks_apart(const Analysis& analysis) {
  ClocksApart clocks(analysis.losses());
  for (const PairStatistics& pair : analysis.pairs())
    if (pair.messages != 0) clocks.add(pair.sender, pair.receiver, pair.smallest_delay);
  return clocks.at_most();
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

std::uint64_t shifted_channels(const Analysis& analysis, Ticks apart, std::span<const Ticks> ahead) {
  const auto recorded = [&](std::size_t process, Time time) {
    return process < ahead.size() ? time + ahead[process] : time;
  };
  std::vector<Time> last;
  for (const ProcessStatistics& process : analysis.processes())
    last.push_back(process.events != 0 ? recorded(last.size(), process.last_recorded) : Time::earliest());
  std::vector<Loss> losses = analysis.losses();
  for (Loss& loss : losses) loss.recorded = recorded(loss.send ? loss.receiver : loss.sender, loss.recorded);
  return shifted_channels(losses, last, apart);
}

void write_losses(JsonWriter& json, std::span<const Loss> losses, const Definitions& definitions) {
  json.objects(losses, [&](const Loss& loss) {
    json.field("sender", number_of(loss.sender, definitions)).field("receiver", number_of(loss.receiver, definitions));
    json.field("communicator", number_of_communicator(loss.communicator, definitions)).field("tag", loss.tag);
    json.field("missing", loss.send ? "send" : "receive").field("other_end_ticks", loss.recorded.ticks());
  });
}

}  // namespace clc
