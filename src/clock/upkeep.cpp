#include "clock/upkeep.hpp"

#include "clc/parameters.hpp"

namespace clc {

// ---- when -------------------------------------------------------------------------------------

std::uint64_t Upkeep::count_large(std::uint64_t bytes, std::uint64_t counted) noexcept {
  const std::uint64_t others = (bytes + reader_.take_opened()) / usual_body;
  until_release_ -= std::min(until_release_, others - std::min(others, counted));
  return std::min(others, counted);
}

void Upkeep::after(std::size_t body) {
  if (is_large(body + reader_.opened())) static_cast<void>(count_large(body, 0));
  if (is_due()) release();
}

void Upkeep::plan() {
  const Heads& heads = reader_.heads;
  max_memory_ = std::max(Parameters::least_memory, memory_limit_ - std::min(memory_limit_, definition_memory()));
  if (heads.memory() > max_memory_) save_memory();
  // Often enough to keep little, seldom enough that looking at every process, every waiting event and every member of
  // an open collective operation is cheap.
  const std::uint64_t looked_at = reader_.heads.collectives.take_looked_at();
  const std::uint64_t room = (max_memory_ - std::min(max_memory_, heads.memory())) / usual_body;
  until_release_ = std::max<std::uint64_t>(
      {2048, 2 * heads.lanes.queues.size(), waiting_ / 8, std::min(looked_at / 16, std::max(looked_at / 64, room))});
}

// ---- what is final ----------------------------------------------------------------------------

void Upkeep::find_stuck() {
  ++rounds_;
  const Heads& heads = reader_.heads;
  stuck_.assign(heads.lanes.queues.size(), no_event);
  const auto keep = [&](ProcessIndex process, EventIndex tail) {
    EventIndex& oldest = stuck_[heads.lanes.clock_of(process)];
    oldest = std::min(oldest, tail);
  };
  for (const ProcessQueue& queue : heads.lanes.queues) {
    for (EventIndex i = queue.processed_end(); i < queue.end(); ++i) {
      const Node& node = queue.raw(i);
      if (node.edge == no_edge) continue;
      if (node.role() == Role::receive) {
        const Message& message = heads.messages[node.edge];
        if (message.send != no_event) keep(message.sender, message.send);
      } else if (node.role() == Role::collective_end) {
        reader_.heads.collectives.for_each_begin(node.edge, rounds_, keep);
      }
    }
  }
  reader_.heads.collectives.end_round(keep);
}

void Upkeep::tidy_messages(bool hurry) {
  const Lanes& lanes = reader_.heads.lanes;
  reader_.heads.messages.tidy(lanes.input.now, hurry, [&](ProcessIndex process, EventIndex index) {
    return index < lanes.queues[lanes.clock_of(process)].begin();
  });
}

void Upkeep::release(bool all) {
  Heads& heads = reader_.heads;
  Lanes& lanes = heads.lanes;
  lanes.release.keep_horizons();
  tidy_messages(false);
  reader_.patience.waits.forget_finished();
  heads.collectives.refresh_limits();
  heads.take_limits();
  find_stuck();
  const Ticks delay =
      std::max({heads.delays.largest(), heads.messages.largest_delay(), heads.collectives.largest_own_delay()});
  std::uint64_t buffered = 0;
  waiting_ = 0;
  for (ClockIndex clock = 0; clock < lanes.queues.size(); ++clock) {
    const ProcessQueue& queue = lanes.queues[clock];
    waiting_ += queue.waiting();
    buffered += queue.end() - queue.begin();
    if (!queue.empty()) lanes.release.spread(clock, all, delay, stuck_[clock]);
  }
  lanes.analysis.buffered(buffered, heads.memory());
  lanes.release.let_out(lanes.release.interval(), all);
}

void Upkeep::release_in_pause() {
  Collectives& collectives = reader_.heads.collectives;
  const std::uint64_t looked_at = collectives.take_looked_at();
  release(false);
  collectives.put_back_looked_at(looked_at);
}

// ---- memory -----------------------------------------------------------------------------------

std::uint64_t Upkeep::definition_memory() const noexcept {
  constexpr std::uint64_t of_process = 280;  // in the tables of all stages, as measured
  const Heads& heads = reader_.heads;
  return heads.lanes.definitions.memory() + heads.lanes.queues.size() * of_process +
         heads.collectives.memory_of_communicators();
}

void Upkeep::save_memory() {
  Heads& heads = reader_.heads;
  Lanes& lanes = heads.lanes;
  Patience& patience = reader_.patience;
  const auto is_over = [&] { return heads.memory() > max_memory_; };
  const auto count_final_early = [&](auto let_out) {
    const std::uint64_t before = lanes.events();
    let_out();
    lanes.analysis.count(Case::final_early, before - lanes.events());
  };
  // First shorter intervals: what leaves early is not moved by jumps that are still to come.
  for (Ticks interval = lanes.release.interval() / 2; is_over(); interval /= 2) {
    count_final_early([&] { lanes.release.let_out_early(interval); });
    if (interval == 0) break;
  }
  tidy_messages(true);
  // Then what is recorded at the time of the newest record: there time may stand still.
  const auto let_out_all = [&] { count_final_early([&] { lanes.release.let_out_up_to_now(); }); };
  if (is_over()) let_out_all();
  // Then waits: the oldest holds back what all others could write. What is ahead of the input stays in any case. With
  // many processes several at once, because each is looked at then.
  while (is_over() && !patience.waits.empty() && lanes.release.waits_hold_back()) {
    for (std::size_t i = 0; i <= lanes.queues.size() / 64; ++i) patience.give_up_oldest();
    heads.collectives.refresh_limits();
    heads.take_limits();
    let_out_all();
  }
  if (is_over()) lanes.analysis.count(Case::note_early, lanes.release.let_notes_go());
  if (is_over()) lanes.analysis.count(Case::memory_exceeded);
}

}  // namespace clc
