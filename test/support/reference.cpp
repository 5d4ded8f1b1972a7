#include "reference.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace clc::test {

namespace {

constexpr std::size_t none = static_cast<std::size_t>(-1);

// ---- the forward step, in the fixed processing order ------------------------------------------------

class Simulation {
 public:
  Simulation(const Parameters& parameters, const Definitions& definitions, std::span<const Event> events)
      : parameters_(parameters), definitions_(definitions), recorded_(events), events_(events.begin(), events.end()) {
    const std::size_t n = events.size();
    find_maxima();
    result_.simple.resize(n);
    result_.forward.resize(n);
    result_.jump.resize(n);
    result_.gamma.assign(n, 2);
    result_.amortized.resize(n);
    result_.written.resize(n);
    state_.resize(n);
    processes_.resize(definitions.processes().size());
    first_.resize(definitions.processes().size());
    members_read_.resize(definitions.communicators().size());
    for (std::size_t c = 0; c < members_read_.size(); ++c)
      members_read_[c].resize(definitions.communicators()[c].members.size());
    quartz_ = parameters.rule == Parameters::Rule::evidence && parameters.regulator_d && !parameters.gamma_min;
    choose_bounds();
    wait_limit_ = definitions.resolution.ticks_of_seconds(parameters.wait_limit_s);
    if (parameters.clock_error_us)
      clock_error_ = definitions.resolution.ticks_of_microseconds(*parameters.clock_error_us);
    cldiff_ = static_cast<double>(definitions.resolution.ticks_of_microseconds(parameters.clock_difference_us));
    error_ = parameters.max_error_percent / 100;
  }

  Reference run() {
    for (std::size_t e = 0; e < events_.size(); ++e) push(e);
    end();
    find_disagreements();
    amortize();
    for (std::size_t e = 0; e < events_.size(); ++e)
      result_.written[e] = events_[e].time + static_cast<Ticks>(std::floor(result_.amortized[e]));
    result_.clock_difference = cldiff_;
    list_given_up();
    set_apart();
    return std::move(result_);
  }

 private:
  struct EventState {
    bool read = false;
    bool processed = false;
    bool internal = false;        // orders nothing: released, not a member, to itself
    bool unbound = false;         // an end that was not processed when the members of its instance disagreed
    std::size_t send = none;      // matched send of a receive
    std::size_t begin = none;     // begin of an end
    std::size_t instance = none;  // of an end
    double local = 0;             // D_local of a jump
    double interval = 0;          // L_R of a jump
    double barrier = 0;           // G of a jump, ticks after the trace's first event
  };
  /// Of a process, or of the clock that it is the first one to read.
  struct ProcessState {
    std::deque<std::size_t> queue;
    std::size_t waits_since = none;  // none: its head does not wait
    bool on_list = false;
    std::size_t last = none;  // newest processed event
    bool communicated = false;
    bool set_forward = false;
    std::size_t open_begin = none;                   // newest begin without call id
    std::map<std::int64_t, std::size_t> open_calls;  // begins with call id
    bool presumed_ended = false;
    std::size_t last_read = none;
    double barrier = -std::numeric_limits<double>::infinity();  // G, ticks after the trace's first event
  };
  /// How small the delays of a channel get, clc-algorithm(7), "Lost records".
  struct Floor {
    bool known = false;
    Ticks delay = 0;
    Time hit;       // last one
    Time since;     // it is where it is, and is hit within three gaps again and again
    Ticks gap = 0;  // 16 ticks
    int run = 0;    // below: negative
    int hits = 0;
  };
  /// The n-th send belongs to the n-th receive, in the order of posting.
  struct Channel {
    std::vector<std::size_t> sends;
    std::vector<std::size_t> receives;  // also those released since; none: not read
    Floor floor;
    [[nodiscard]] std::size_t receive(std::size_t n) const { return n < receives.size() ? receives[n] : none; }
    /// Receives were overtaken that are not read yet.
    [[nodiscard]] bool in_disorder() const {
      return std::find(receives.begin(), receives.end(), none) != receives.end();
    }
    /// Ends that wait for others, in order.
    [[nodiscard]] std::span<const std::size_t> waiting(bool are_receives) const {
      const std::vector<std::size_t>& ends = are_receives ? receives : sends;
      return std::span(ends).subspan(std::min(sends.size(), receives.size()));
    }
    void take_out_oldest(bool is_receive) {
      std::vector<std::size_t>& ends = is_receive ? receives : sends;
      ends.erase(ends.begin() + static_cast<std::ptrdiff_t>(std::min(sends.size(), receives.size())));
    }
  };
  struct Instance {
    CommunicatorIndex communicator = 0;
    CollectiveClass kind = CollectiveClass::n_to_n;
    Operation operation = Operation::barrier;
    Rank root = no_rank;
    bool orders = true;             // its root is a member
    bool disagrees = false;         // ends of it name several operations or roots
    std::vector<std::size_t> ends;  // by rank, none while not read
    std::vector<std::size_t> late;  // the same, of ends that came when it was given up and done
    std::vector<bool> excused;  // by rank: its end was missing when the instance was given up, or waited in a circle
  };
  /// A receive that was read before its send, or an instance from its first end on.
  struct Wait {
    std::size_t event;
    std::size_t instance;  // none: the receive
  };

  [[nodiscard]] ClockIndex clock(std::size_t e) const { return clock_of(events_[e].process); }
  [[nodiscard]] ClockIndex clock_of(ProcessIndex process) const { return definitions_.processes()[process].clock; }

  void count(Case which) { ++result_.counters[static_cast<std::size_t>(which)]; }

  /// From here on, the time of an event is the largest recorded one of its clock so far, C^.
  void find_maxima() {
    std::vector<std::optional<std::size_t>> last(definitions_.processes().size());
    for (std::size_t e = 0; e < events_.size(); ++e) {
      const auto before = std::exchange(last[clock(e)], e);
      if (!before) continue;
      if (recorded_[e].time < recorded_[*before].time) count(Case::clock_set_back);
      events_[e].time = std::max(events_[e].time, events_[*before].time);
    }
  }
  /// How far an event's clock shows less than it did.
  [[nodiscard]] double behind(std::size_t e) const { return static_cast<double>(events_[e].time - recorded_[e].time); }
  // LC' - C and LC - C of a processed event.
  [[nodiscard]] double ahead(std::size_t e) const { return result_.forward[e] + behind(e); }
  [[nodiscard]] double simply_ahead(std::size_t e) const { return result_.simple[e] + behind(e); }

  // -- reading --
  void push(std::size_t e) {
    now_ = events_[e].time;
    release_expired();
    find_losses(e);
    read(e);
    ProcessState& process = processes_[clock(e)];
    process.queue.push_back(e);
    if (process.queue.size() == 1) {
      if (ready(e)) {
        process_head(clock(e));
      } else {
        process.waits_since = next_wait_++;
      }
    }
    list_ready();
    work();
  }

  void read(std::size_t e) {
    const Event& event = events_[e];
    EventState& state = state_[e];
    state.read = true;
    processes_[event.process].presumed_ended = false;
    processes_[event.process].last_read = e;
    switch (event.role) {
      case Role::internal:
        break;
      case Role::send:
        if (event.peer == event.process) {
          state.internal = true;
          count(Case::self_message);
          break;
        }
        if (!state.internal) read_send(e);
        break;
      case Role::receive:
        if (event.peer == event.process) {
          state.internal = true;
          break;
        }
        if (!state.internal) read_receive(e);
        break;
      case Role::collective_begin:
        read_begin(e);
        break;
      case Role::collective_end:
        read_end(e);
        break;
    }
  }

  using ChannelKey = std::tuple<ProcessIndex, ProcessIndex, CommunicatorIndex, std::int64_t>;

  /// Without the name of the peer, communicator and tag tell.
  static ChannelKey key_of(ProcessIndex sender, ProcessIndex receiver, const Event& event) {
    if (event.peer == no_process) return {no_process, no_process, event.communicator, event.tag};
    return {sender, receiver, event.communicator, event.tag};
  }

  void read_send(std::size_t e) {
    const Event& event = events_[e];
    Channel& channel = channels_[key_of(event.process, event.peer, event)];
    const std::size_t receive = channel.receive(channel.sends.size());
    channel.sends.push_back(e);
    if (receive == none) return;
    if (state_[receive].internal) {
      count(Case::late_send);
    } else {
      state_[receive].send = e;
    }
  }

  /// mu of two processes without one of their own.
  [[nodiscard]] Ticks usual_delay() const {
    if (!parameters_.min_delay_us && definitions_.min_delay) return std::max<Ticks>(1, *definitions_.min_delay);
    return std::max<Ticks>(1, definitions_.resolution.ticks_of_microseconds(
                                  parameters_.min_delay_us.value_or(Parameters::default_min_delay_us)));
  }

  // -- lost records: clc-algorithm(7) --
  [[nodiscard]] Ticks margin() const { return 4 * std::min(usual_delay(), ticks_max / 64); }
  [[nodiscard]] Ticks tolerance(const Floor& floor) const { return std::max(margin(), floor.gap * 16 / 32); }
  [[nodiscard]] Ticks around(const Floor& floor, Time now) const { return tolerance(floor) + (now - floor.hit) / 1024; }
  [[nodiscard]] bool at_floor(const Floor& floor, Ticks delay, Time now) const {
    return std::abs(delay - floor.delay) <= around(floor, now);
  }
  [[nodiscard]] bool tells(const Floor& floor) const {
    return floor.hits >= 3 && floor.gap > 0 && tolerance(floor) <= floor.gap * 16 / 4;
  }

  [[nodiscard]] static bool is_soon(const Floor& floor, Ticks since_hit) { return since_hit <= 3 * 16 * floor.gap; }
  /// When a match at that floor was complete, on the clock of the sender or receiver.
  [[nodiscard]] static Time own(const Floor& floor, Time time, bool of_sender) {
    return time - std::max<Ticks>(0, of_sender ? floor.delay : -floor.delay);
  }

  void learn(Floor& floor, Ticks delay, Time now) const {
    const auto begin = [&](Ticks at) {
      floor.delay = at;
      floor.hit = floor.since = now;
      floor.run = floor.hits = 0;
      floor.known = true;
    };
    if (!floor.known) return begin(delay);
    if (at_floor(floor, delay, now)) {
      const bool long_ago = floor.gap > 0 && (now - floor.hit) / 1024 > floor.gap * 16 / 4;
      if (long_ago && std::abs(delay - floor.delay) > tolerance(floor)) return begin(delay);
      if (!is_soon(floor, now - floor.hit)) floor.since = now;
      const Ticks gap = (now - floor.hit) / 16 / (1 + std::abs(floor.run));
      const auto eighth = static_cast<Ticks>(std::floor(static_cast<double>(gap - floor.gap) / 8));
      if (floor.hits < 8 || floor.hits % 8 == 0) floor.gap = floor.gap == 0 ? gap : floor.gap + eighth;
      floor.delay = std::min(delay, floor.delay + (now - floor.hit) / 1024);
      floor.hit = now;
      floor.run = 0;
      ++floor.hits;
      return;
    }
    const bool below = delay < floor.delay;
    if (below && floor.hits == 0) return begin(delay);
    const bool goes_on = below ? floor.run < 0 : floor.run > 0;
    floor.run = (goes_on ? floor.run : 0) + (below ? -1 : 1);
    const bool well = floor.hits >= 3;
    if (floor.run == (well ? -32 : -6) || floor.run == (well ? 64 : 8)) begin(delay);
  }

  enum class Doubt { no, first, early, below, above, sure };
  [[nodiscard]] Doubt doubt(const Floor& floor, Ticks delay, Time now) const {
    if (!floor.known) return Doubt::first;
    if (at_floor(floor, delay, now)) return Doubt::no;
    const std::set<int> early{-3, -5};
    const std::set<int> below{-1, -2, -4};
    const std::set<int> above{3};
    if (floor.hits < 3) {
      const bool fine = floor.gap == 0 || tolerance(floor) <= floor.gap * 16 / 4;
      return fine && delay < floor.delay && early.contains(floor.run) ? Doubt::early : Doubt::no;
    }
    if (!tells(floor) || std::abs(delay - floor.delay) <= floor.gap * 16 / 4) return Doubt::no;
    if (delay < floor.delay) return floor.run >= 0 || below.contains(floor.run) ? Doubt::below : Doubt::no;
    return above.contains(floor.run) ? Doubt::above : Doubt::no;
  }

  [[nodiscard]] Channel& channel_of(const Event& event) {
    return event.role == Role::send ? channels_[key_of(event.process, event.peer, event)]
                                    : channels_[key_of(event.peer, event.process, event)];
  }
  /// Nothing but ends that wait for their others.
  [[nodiscard]] bool in_order(const Channel& channel) const {
    const auto receives = channel.waiting(true);
    return !channel.in_disorder() && (receives.empty() || !state_[receives.front()].internal);
  }

  static constexpr Ticks most_summed = ticks_max / 4096;
  /// Recorded times of the ends of a channel from a match on.
  struct Ends {
    std::vector<Time> sent;
    std::vector<Time> received;
    [[nodiscard]] std::size_t matches() const { return std::min(sent.size(), received.size()); }
    void add(bool is_send, Time time) { (is_send ? sent : received).push_back(time); }
    /// Delays when that many sends and receives are left out.
    [[nodiscard]] std::vector<Ticks> delays(std::size_t sends, std::size_t receives, std::size_t most) const {
      std::vector<Ticks> all;
      for (std::size_t k = 0; k < most && sends + k < sent.size() && receives + k < received.size(); ++k)
        all.push_back(received[receives + k] - sent[sends + k]);
      return all;
    }
    /// Of both clocks: greatest common divisors of their differences.
    [[nodiscard]] Ticks ticks() const {
      Ticks sum = 0;
      for (const std::vector<Time>& times : {sent, received}) {
        Ticks tick = 0;
        for (std::size_t k = 1; k < times.size(); ++k) tick = std::gcd(tick, times[k] - times[k - 1]);
        sum += std::min(tick, most_summed);
      }
      return sum;
    }
    /// The smallest of the times to the ends before and the usual one.
    [[nodiscard]] Ticks between(std::size_t s, std::size_t r, const Floor& floor) const {
      const Ticks usual = 16 * floor.gap;
      return std::min({usual, s == 0 ? usual : sent[s] - sent[s - 1], r == 0 ? usual : received[r] - received[r - 1]});
    }
    [[nodiscard]] bool stand_still() const {
      return std::adjacent_find(sent.begin(), sent.end()) != sent.end() ||
             std::adjacent_find(received.begin(), received.end()) != received.end();
    }
  };

  /// How many ends of the channel have lost their others, before event e has; none: they have not.
  [[nodiscard]] std::size_t lone_ends(std::size_t e, Doubt doubt) {
    const Event& event = events_[e];
    const bool is_send = event.role == Role::send;
    const ProcessIndex sender = is_send ? event.process : event.peer;
    const ProcessIndex receiver = is_send ? event.peer : event.process;
    Channel& channel = channel_of(event);
    const Floor floor = channel.floor;
    const bool backlog = doubt == Doubt::above || (doubt == Doubt::first && !is_send);
    Ends ends;
    ends.add(is_send, event.time);
    for (const std::size_t other : channel.waiting(is_send)) ends.add(!is_send, events_[other].time);
    if (doubt == Doubt::first) {
      const std::vector<Time>& others = is_send ? ends.received : ends.sent;
      if (others.size() < 2 || (backlog && others[1] >= *first_[event.process])) return none;
    }
    std::map<ChannelKey, Channel> copies;  // of others, as they were, with what comes
    std::map<ChannelKey, bool> known;
    std::map<ChannelKey, bool> usable;
    std::map<ChannelKey, std::pair<bool, std::vector<Ticks>>> since;  // the doubt: one hit, delays less the floor
    const auto is_reverse = [&](const ChannelKey& key) {
      return std::get<0>(key) == receiver && std::get<1>(key) == sender;
    };
    const auto by_floor = [&] {
      const auto found = lone_by_floor(ends, floor, backlog, event.time);
      if (!found || *found == none) return found;
      const std::vector<Ticks> own = ends.delays(0, 0, ends.matches());
      const Ticks moved = *std::min_element(own.begin(), own.end()) - floor.delay;
      for (const auto& [key, of] : since) {
        if (!is_reverse(key) || !known[key] || of.first || of.second.size() < 3) continue;
        const Ticks back = *std::min_element(of.second.begin(), of.second.end());
        if (std::abs(back + moved) <= std::max(around(floor, event.time), std::abs(moved) / 4))
          return std::optional<std::size_t>(none);
      }
      return found;
    };
    std::map<ChannelKey, Time> hit;  // last one
    bool sender_goes_on = false;
    bool receiver_goes_on = false;
    for (std::size_t q = e + 1; q < events_.size() && q <= e + 16384; ++q) {
      const Event& next = events_[q];
      if (next.time > event.time + wait_limit_ / 8) break;
      if (floor.gap > 0 && next.time > event.time + 160 * 16 * floor.gap) break;
      if ((next.role != Role::send && next.role != Role::receive) || next.peer == no_process) continue;
      if (next.other_end == OtherEnd::missing) continue;
      const bool sends = next.role == Role::send;
      const ProcessIndex from = sends ? next.process : next.peer;
      const ProcessIndex to = sends ? next.peer : next.process;
      const ChannelKey key = key_of(from, to, next);
      if (key == key_of(sender, receiver, event)) {
        if (!sends && next.overtakes != 0) return none;
        if ((sends ? ends.sent : ends.received).size() == 272) break;
        ends.add(sends, next.time);
        const std::size_t matches = ends.matches();
        if (doubt != Doubt::first) {
          const Ticks newest = ends.received[matches - 1] - ends.sent[matches - 1];
          if (matches > 1 && std::abs(newest - floor.delay) <= around(floor, event.time)) return none;
          if (sender_goes_on && receiver_goes_on)
            if (const auto found = by_floor()) return *found;
        }
        if ((sends ? ends.sent : ends.received).size() != matches) continue;
        if (matches != 40 && matches != 72 && matches != 136) continue;
        const std::size_t lone = lone_by_spread(ends, floor, doubt, backlog, event.time);
        if (lone != none || matches == 136) return lone;
        continue;
      }
      const bool soon = event.time - floor.hit <= 8 * 16 * floor.gap;
      if (doubt == Doubt::first || (doubt != Doubt::early && !soon)) continue;
      if (sender_goes_on && receiver_goes_on && !is_reverse(key)) continue;
      if (from != sender && from != receiver && to != sender && to != receiver) continue;
      const auto testify = [&](Time sent, Time received) {
        const auto goes_on = [&](ProcessIndex process, Time begin) {
          return (process == from && sent - begin >= 16 * floor.gap / 2) ||
                 (process == to && received - begin >= 16 * floor.gap / 2);
        };
        if (goes_on(sender, ends.sent[0])) sender_goes_on = true;
        if (goes_on(receiver, ends.received[0])) receiver_goes_on = true;
      };
      const auto look_at_other = [&] {
        if (!copies.contains(key)) {
          Channel& its = channels_[key];
          copies[key] = its;
          const std::size_t waiting = std::max(its.waiting(true).size(), its.waiting(false).size());
          hit[key] = its.floor.hit;
          known[key] = usable[key] = in_order(its) && tells(its.floor) && waiting <= 272;
          for (const ProcessIndex process : {sender, receiver})
            if (process == from || process == to)
              usable[key] = usable[key] && own(its.floor, its.floor.since, process == from) + 16 * floor.gap <
                                               own(floor, floor.hit, process == sender);
          if (usable[key]) testify(own(its.floor, its.floor.hit, true), own(its.floor, its.floor.hit, false));
        }
        Channel& other = copies[key];
        if (!sends && next.overtakes != 0) known[key] = false;
        if (!known[key]) return;
        (sends ? other.sends : other.receives).push_back(q);
        const std::size_t k = (sends ? other.sends : other.receives).size() - 1;
        if (k >= (sends ? other.receives : other.sends).size()) return;
        const Time sent = events_[other.sends[k]].time;
        const Time received = events_[other.receives[k]].time;
        const bool hits = at_floor(other.floor, received - sent, next.time);
        if (sent >= ends.received[0] || received >= ends.sent[0]) {
          since[key].first |= hits;
          since[key].second.push_back(received - sent - other.floor.delay);
        }
        usable[key] =
            usable[key] && (hits ? is_soon(other.floor, next.time - hit[key]) : received - sent > other.floor.delay);
        if (!hits || !usable[key]) return;
        hit[key] = next.time;
        testify(sent, received);
      };
      look_at_other();
      if (sender_goes_on && receiver_goes_on)
        if (const auto found = by_floor()) return *found;
    }
    return lone_by_spread(ends, floor, doubt, backlog, event.time);
  }

  /// How much successive delays differ: three quarters of the differences, the smaller ones.
  [[nodiscard]] static Ticks unlike(const std::vector<Ticks>& delays) {
    std::vector<Ticks> apart;
    for (std::size_t k = 1; k < delays.size(); ++k) {
      const auto [small, large] = std::minmax(delays[k], delays[k - 1]);
      apart.push_back(std::min(subtract_saturating(large, small), most_summed));
    }
    std::sort(apart.begin(), apart.end());
    Ticks sum = 0;
    for (std::size_t k = 0; k < 3 * apart.size() / 4; ++k) sum += apart[k];
    return sum;
  }

  /// Without how many ends the delays are at the floor again; nothing: not known yet.
  [[nodiscard]] std::optional<std::size_t> lone_by_floor(const Ends& ends, const Floor& floor, bool backlog,
                                                         Time now) const {
    const Ticks low = floor.delay - around(floor, now);
    const Ticks high = floor.delay + around(floor, now);
    for (std::size_t lone = 1; lone < 128; ++lone) {
      std::size_t s = backlog ? lone : 0;
      std::size_t r = backlog ? 0 : lone;
      if (s >= ends.sent.size() || r >= ends.received.size()) return std::nullopt;
      if (ends.received[r] - ends.sent[s] < low) continue;
      int points = 0;
      for (; s < ends.sent.size() && r < ends.received.size() && std::abs(points) < 20; ++r) {
        const Ticks delay = ends.received[r] - ends.sent[s];
        const Ticks apart = std::abs(delay - floor.delay);
        points -= 2;
        for (Ticks p = 2;
             delay >= low && delay <= high && p * std::max<Ticks>(1, 2 * apart) <= ends.between(s, r, floor); p *= 2)
          ++points;
        if (delay >= low) ++s;
      }
      if (points >= 20 && ends.stand_still()) return none;
      if (points >= 20 && ends.ticks() > around(floor, now)) return std::nullopt;
      if (points >= 20) return lone;
      if (!backlog) return std::nullopt;
    }
    return std::nullopt;
  }

  /// Without how many ends successive delays are most alike, if by much more than with all.
  [[nodiscard]] std::size_t lone_by_spread(const Ends& ends, const Floor& floor, Doubt doubt, bool backlog,
                                           Time now) const {
    if (doubt == Doubt::early || ends.stand_still()) return none;
    const bool well = floor.hits >= 3;
    const std::size_t matches = ends.matches();
    std::size_t width = 32;
    while (width < 128 && matches >= 2 * width + 8) width *= 2;
    const std::map<std::size_t, std::pair<double, double>> demands{{32, {3, 3}}, {64, {2.5, 3}}, {128, {1.5, 3}}};
    const double ratio = well ? demands.at(width).second : demands.at(width).first;
    if (matches < width) return none;
    const Ticks longest = 2 * static_cast<Ticks>(width) * 16 * floor.gap;
    if (floor.gap > 0 &&
        (ends.sent[width - 1] - ends.sent[0] > longest || ends.received[width - 1] - ends.received[0] > longest))
      return none;
    std::size_t best = none;
    Ticks least = 0;
    for (std::size_t lone = doubt == Doubt::first ? 2 : 1; lone < 128; ++lone) {
      const std::vector<Ticks> delays = ends.delays(backlog ? lone : 0, backlog ? 0 : lone, width);
      if (delays.size() < width) break;
      const auto quarter = delays.begin() + static_cast<std::ptrdiff_t>(width) / 4;
      const auto is_hit = [&](Ticks delay) { return std::abs(delay - floor.delay) <= around(floor, now); };
      const auto hits = std::count_if(delays.begin(), delays.end(), is_hit);
      if (well && (std::none_of(delays.begin(), quarter, is_hit) ||
                   std::none_of(quarter, quarter + static_cast<std::ptrdiff_t>(width) / 4, is_hit)))
        continue;
      if (well && *std::min_element(delays.begin(), quarter) < floor.delay - around(floor, now)) continue;
      if (well && hits < std::max<std::ptrdiff_t>(3, static_cast<std::ptrdiff_t>(width) / 8)) continue;
      if (best != none && unlike(delays) >= least) continue;
      best = lone;
      least = unlike(delays);
    }
    if (best == none) return none;
    const auto with_all = static_cast<double>(unlike(ends.delays(0, 0, width)));
    return ratio * static_cast<double>(least) + static_cast<double>(2 * static_cast<Ticks>(width) * ends.ticks()) <
                   with_all
               ? best
               : none;
  }

  void find_losses(std::size_t e) {
    const Event& event = events_[e];
    if (!first_[event.process]) first_[event.process] = event.time;
    if (event.other_end == OtherEnd::missing) {
      state_[e].internal = true;
      return count(event.role == Role::send ? Case::send_without_receive : Case::receive_without_send);
    }
    if (parameters_.match == Match::fifo || (event.role != Role::send && event.role != Role::receive)) return;
    if (event.peer == no_process || event.peer == event.process || event.overtakes != 0 || wait_limit_ <= 0) return;
    const bool is_send = event.role == Role::send;
    for (;;) {
      Channel& channel = channel_of(event);
      const auto others = channel.waiting(is_send);
      if (others.empty() || !in_order(channel)) return;
      const Time other = events_[others.front()].time;
      const Ticks delay = is_send ? other - event.time : event.time - other;
      Doubt why = doubt(channel.floor, delay, event.time);
      if (why == Doubt::first && others.size() < 2) why = Doubt::no;
      if (clock_error_ && delay < -*clock_error_) why = Doubt::sure;
      if (event.other_end == OtherEnd::present) why = Doubt::no;
      std::size_t lone = none;
      if (why != Doubt::no && clock_of(event.process) != clock_of(event.peer))
        lone = why == Doubt::sure ? 1 : lone_ends(e, why);
      if (lone == none) return learn(channel.floor, delay, event.time);
      const bool backlog = why == Doubt::above || (why == Doubt::first && !is_send);
      const Case kind = backlog ? Case::send_without_receive : Case::receive_without_send;
      if (backlog) channel.floor.run = is_send ? 3 : 0;
      if (backlog == is_send) {
        state_[e].internal = true;
        return count(kind);
      }
      for (std::size_t left = std::min(lone, others.size()); left > 0; --left) {
        state_[channel.waiting(is_send).front()].internal = true;
        channel.take_out_oldest(is_send);
        count(kind);
      }
      list_ready();
    }
  }

  void read_receive(std::size_t e) {
    const Event& event = events_[e];
    Channel& channel = channels_[key_of(event.peer, event.process, event)];
    std::size_t place = 0;
    for (std::size_t left = event.overtakes;; ++place) {
      if (channel.receive(place) != none) continue;
      if (left == 0) break;
      --left;
    }
    channel.receives.resize(std::max(channel.receives.size(), place + 1), none);
    channel.receives[place] = e;
    if (place < channel.sends.size()) {
      const std::size_t send = channel.sends[place];
      if (events_[send].process == event.process) {
        state_[e].internal = true;
        count(Case::self_message);
      } else {
        state_[e].send = send;
      }
      return;
    }
    if (event.peer != no_process && processes_[event.peer].presumed_ended)
      release_receive(e);
    else
      waits_.push_back({e, none});
  }

  void read_begin(std::size_t e) {
    ProcessState& process = processes_[events_[e].process];
    std::size_t& open = events_[e].tag == 0 ? process.open_begin : fresh(process.open_calls, events_[e].tag);
    if (open != none) count(Case::begin_without_end);
    open = e;
  }

  static std::size_t& fresh(std::map<std::int64_t, std::size_t>& calls, std::int64_t id) {
    return calls.try_emplace(id, none).first->second;
  }

  void read_end(std::size_t e) {
    const Event& event = events_[e];
    EventState& state = state_[e];
    ProcessState& process = processes_[event.process];
    std::size_t& open = event.tag == 0 ? process.open_begin : fresh(process.open_calls, event.tag);
    state.begin = open;
    open = none;
    if (state.begin == none) count(Case::end_without_begin);

    const auto& members = definitions_.communicators()[event.communicator].members;
    const auto place = std::find(members.begin(), members.end(), event.process);
    if (place == members.end()) {
      count(Case::not_a_member);
      state.internal = true;
      return;
    }
    if (members.size() == 1) {
      state.internal = true;
      return;
    }
    const auto rank = static_cast<std::size_t>(place - members.begin());
    const std::size_t k = members_read_[event.communicator][rank]++;
    std::size_t& number = instance_number(event.communicator, k);
    if (number == none) {
      number = instances_.size();
      Instance instance;
      instance.communicator = event.communicator;
      instance.operation = event.operation;
      instance.kind = info(event.operation).kind;
      instance.root = event.root;
      instance.ends.assign(members.size(), none);
      instance.late.assign(members.size(), none);
      instance.excused.assign(members.size(), false);
      if (info(event.operation).rooted && event.root >= members.size()) {
        instance.orders = false;
        count(Case::root_not_a_member);
      }
      instances_.push_back(std::move(instance));
      waits_.push_back({e, number});
    }
    Instance& instance = instances_[number];
    if (given_up(instance) && retired(instance)) {
      count(Case::late_member);
      state.internal = true;
      find_disagreement(instance, event);
      instance.late[rank] = e;
      return;
    }
    find_disagreement(instance, event);
    state.unbound = instance.disagrees;
    if (instance.excused[rank]) count(Case::late_member);
    instance.ends[rank] = e;
    state.instance = number;

    bool missing = false;
    for (std::size_t r = 0; r < members.size(); ++r) {
      if (instance.ends[r] != none || instance.excused[r]) continue;
      missing = true;
      if (!processes_[members[r]].presumed_ended) return;
    }
    if (missing) give_up(number);
  }

  /// The end that was read first says what the operation is.
  void find_disagreement(Instance& instance, const Event& end) {
    if (instance.operation == end.operation && (!info(end.operation).rooted || instance.root == end.root)) return;
    count(Case::operation_mismatch);
    instance.disagrees = true;
    for (const std::size_t other : instance.ends)
      if (other != none && !state_[other].processed) state_[other].unbound = true;
  }

  /// Members are excused.
  [[nodiscard]] static bool given_up(const Instance& instance) {
    return std::find(instance.excused.begin(), instance.excused.end(), true) != instance.excused.end();
  }

  /// All its ends that were read are processed.
  [[nodiscard]] bool retired(const Instance& instance) const {
    return std::all_of(instance.ends.begin(), instance.ends.end(),
                       [&](std::size_t end) { return end == none || state_[end].processed; });
  }

  std::size_t& instance_number(CommunicatorIndex communicator, std::size_t k) {
    return instance_of_.try_emplace({communicator, k}, none).first->second;
  }

  // -- collective operations: who waits for whom --
  [[nodiscard]] std::size_t rank_of(std::size_t e) const {
    const auto& members = definitions_.communicators()[events_[e].communicator].members;
    return static_cast<std::size_t>(std::find(members.begin(), members.end(), events_[e].process) - members.begin());
  }

  /// Ranks whose begins come before the end e, by class and rank alone.
  [[nodiscard]] std::vector<std::size_t> needed_ranks(std::size_t e) const {
    const Instance& instance = instances_[state_[e].instance];
    const std::size_t own = rank_of(e);
    std::vector<std::size_t> needed;
    if (!instance.orders) return needed;
    const auto& members = definitions_.communicators()[instance.communicator].members;
    for (std::size_t r = 0; r < instance.ends.size(); ++r) {
      if (clock_of(members[r]) == clock(e)) continue;  // in order already
      bool needs = false;
      switch (instance.kind) {
        case CollectiveClass::one_to_n:
          needs = r == instance.root;
          break;
        case CollectiveClass::n_to_one:
          needs = own == instance.root;
          break;
        case CollectiveClass::n_to_n:
          needs = true;
          break;
        case CollectiveClass::prefix:
          needs = r < own;
          break;
      }
      if (needs) needed.push_back(r);
    }
    return needed;
  }

  /// Its end is read, and its begin, if there is one, processed; without data it is no tail at any rate.
  [[nodiscard]] bool contributed(const Instance& instance, std::size_t rank) const {
    const std::size_t end = instance.ends[rank];
    if (end == none) return false;
    if (instance.operation != Operation::barrier && events_[end].bytes == 0) return true;
    return state_[end].begin == none || state_[state_[end].begin].processed;
  }

  /// Tails of the edges that end e takes now.
  [[nodiscard]] std::vector<std::size_t> collective_tails(std::size_t e) const {
    const Instance& instance = instances_[state_[e].instance];
    const bool barrier = instance.operation == Operation::barrier;
    std::vector<std::size_t> tails;
    if (state_[e].unbound || (!barrier && events_[e].received == 0)) return tails;
    for (const std::size_t r : needed_ranks(e)) {
      if (instance.excused[r] || !contributed(instance, r)) continue;
      const std::size_t end = instance.ends[r];
      if (state_[end].begin == none || (!barrier && events_[end].bytes == 0)) continue;
      tails.push_back(state_[end].begin);
    }
    return tails;
  }

  [[nodiscard]] bool shares_clocks(const Instance& instance) const {
    std::set<ClockIndex> clocks;
    for (const ProcessIndex member : definitions_.communicators()[instance.communicator].members)
      if (!clocks.insert(clock_of(member)).second) return true;
    return false;
  }

  // -- readiness --
  [[nodiscard]] bool ready(std::size_t e) const {
    const EventState& state = state_[e];
    if (state.internal) return true;
    switch (events_[e].role) {
      case Role::internal:
      case Role::send:
      case Role::collective_begin:
        return true;
      case Role::receive:
        return state.send != none && (clock(state.send) == clock(e) || state_[state.send].processed);
      case Role::collective_end:
        break;
    }
    if (state.unbound) return true;
    const Instance& instance = instances_[state.instance];
    if (instance.operation != Operation::barrier && events_[e].received == 0) return true;  // no head
    std::vector<std::size_t> needed = needed_ranks(e);
    const bool all = instance.kind == CollectiveClass::n_to_n || instance.kind == CollectiveClass::n_to_one;
    // Its own begin goes before in any case. Whether it counts when waits are given up: not where clocks are shared.
    if (all && !needed.empty() && !shares_clocks(instance)) needed.push_back(rank_of(e));
    for (const std::size_t r : needed)
      if (!instance.excused[r] && !contributed(instance, r)) return false;
    return true;
  }

  // -- waits that are given up --
  void release_receive(std::size_t e) {
    state_[e].internal = true;
    count(state_[e].send == none ? Case::receive_without_send : Case::wait_in_circle);
  }

  void give_up(std::size_t number) {
    Instance& instance = instances_[number];
    const bool circle = !misses_a_member(instance);
    if (!circle) count(Case::collective_incomplete);
    for (const std::size_t end : instance.ends)
      if (end != none && !state_[end].processed && !ready(end))
        count(circle ? Case::wait_in_circle : Case::collective_given_up);
    for (std::size_t r = 0; r < instance.ends.size(); ++r)
      if (circle ? !contributed(instance, r) : instance.ends[r] == none) instance.excused[r] = true;
  }

  /// A process from which nothing was read since an event began to wait for it.
  void presume_ended(ProcessIndex process, std::size_t since) {
    ProcessState& state = processes_[process];
    if (state.last_read == none || state.last_read < since) state.presumed_ended = true;
  }

  [[nodiscard]] bool waits_still(const Wait& wait) const {
    if (wait.instance == none) {
      const EventState& receive = state_[wait.event];
      if (receive.send != none && state_[receive.send].processed) return false;  // only what stands ahead of it waits
      return !receive.processed && !receive.internal;
    }
    const Instance& instance = instances_[wait.instance];
    for (std::size_t r = 0; r < instance.ends.size(); ++r)
      if (!instance.excused[r] && !contributed(instance, r)) return true;
    return false;
  }

  void end_wait(const Wait& wait) {
    if (!waits_still(wait)) return;
    if (wait.instance == none) {
      if (state_[wait.event].send == none && events_[wait.event].peer != no_process)
        presume_ended(events_[wait.event].peer, wait.event);
      release_receive(wait.event);
    } else {
      const Instance& instance = instances_[wait.instance];
      for (std::size_t r = 0; r < instance.ends.size(); ++r)
        if (instance.ends[r] == none && !instance.excused[r])
          presume_ended(definitions_.communicators()[instance.communicator].members[r], wait.event);
      give_up(wait.instance);
    }
    list_ready();
    work();
  }

  /// Waits for a record that was not read, not only for one that waits itself.
  [[nodiscard]] bool misses_a_record(const Wait& wait) const {
    if (wait.instance == none) return state_[wait.event].send == none;
    return misses_a_member(instances_[wait.instance]);
  }
  [[nodiscard]] static bool misses_a_member(const Instance& instance) {
    for (std::size_t r = 0; r < instance.ends.size(); ++r)
      if (instance.ends[r] == none && !instance.excused[r]) return true;
    return false;
  }

  /// Or goes on with what it waits for else.
  void end_wait_for_a_record(const Wait& wait) {
    const bool misses = misses_a_record(wait);
    if (misses) end_wait(wait);
    if (!misses || (wait.instance != none && waits_still(wait))) blocked_.push_back(wait);
  }

  /// After the wait limit what misses a record is released. What waits for a record that was read does so because
  /// that record's process waits, which ends within another wait limit, or never: in a circle.
  void release_expired() {
    while (!waits_.empty() && now_ > events_[waits_.front().event].time + wait_limit_) {
      const Wait wait = waits_.front();
      waits_.pop_front();
      end_wait_for_a_record(wait);
    }
    while (!blocked_.empty() && now_ > events_[blocked_.front().event].time + wait_limit_ + wait_limit_) {
      const Wait wait = blocked_.front();
      blocked_.pop_front();
      end_wait(wait);
    }
  }

  void end() {
    for (const Wait& wait : waits_) {
      end_wait_for_a_record(wait);
    }
    for (const Wait& wait : blocked_) end_wait(wait);
    for (const auto& [key, channel] : channels_) {
      const Case which = std::get<0>(key) == no_process ? Case::unclaimed_send : Case::send_without_receive;
      for (std::size_t n = 0; n < channel.sends.size(); ++n)
        if (channel.receive(n) == none) ++result_.counters[static_cast<std::size_t>(which)];
    }
    for (const ProcessState& process : processes_) {
      if (process.open_begin != none) count(Case::begin_without_end);
      for (const auto& [id, begin] : process.open_calls)
        if (begin != none) count(Case::begin_without_end);
    }
  }

  // -- all edges of what is complete, in force or not --
  void list_given_up() {
    std::set<std::pair<std::size_t, std::size_t>> in_force;
    for (const Edge& edge : result_.edges) in_force.emplace(edge.tail, edge.head);
    const auto add = [&](std::size_t tail, std::size_t head, std::uint64_t bytes) {
      const ProcessIndex from = events_[tail].process;
      const ProcessIndex to = events_[head].process;
      if (clock(tail) == clock(head) || in_force.count({tail, head}) != 0) return;
      const Ticks mu = reference_delay(parameters_, definitions_, from, to, bytes, events_[head].communicator);
      result_.given_up.push_back({tail, head, mu});
    };
    for (const auto& [key, channel] : channels_)
      for (std::size_t n = 0; n < channel.sends.size(); ++n)
        if (channel.receive(n) != none) add(channel.sends[n], channel.receive(n), events_[channel.sends[n]].bytes);
    for (const Instance& instance : instances_) list_given_up(instance, add);
  }

  // -- edges of instances whose members turned out to disagree --
  void set_apart() {
    const auto counts = [&](const Edge& edge) {
      const EventState& head = state_[edge.head];
      return events_[edge.head].role != Role::collective_end || !instances_[head.instance].disagrees;
    };
    const auto first = std::stable_partition(result_.edges.begin(), result_.edges.end(), counts);
    result_.disowned.assign(first, result_.edges.end());
    result_.edges.erase(first, result_.edges.end());
  }

  template <class Add>
  void list_given_up(const Instance& instance, const Add& add) const {
    std::vector<std::size_t> ends;
    for (std::size_t r = 0; r < instance.ends.size(); ++r) {
      ends.push_back(instance.ends[r] != none ? instance.ends[r] : instance.late[r]);
      if (ends.back() == none) return;
    }
    if (!instance.orders || instance.disagrees) return;
    const bool barrier = instance.operation == Operation::barrier;
    for (std::size_t to = 0; to < ends.size(); ++to) {
      if (!barrier && events_[ends[to]].received == 0) continue;
      for (std::size_t from = 0; from < ends.size(); ++from) {
        if (!barrier && events_[ends[from]].bytes == 0) continue;
        const std::size_t begin = state_[ends[from]].begin;
        const bool orders = instance.kind == CollectiveClass::n_to_n ||
                            (instance.kind == CollectiveClass::one_to_n && from == instance.root) ||
                            (instance.kind == CollectiveClass::n_to_one && to == instance.root) ||
                            (instance.kind == CollectiveClass::prefix && from < to);
        if (orders && begin != none) add(begin, ends[to], 0);
      }
    }
  }

  // -- events of one clock that its times put into the wrong order --
  void find_disagreements() {
    for (const auto& [key, channel] : channels_) {
      for (std::size_t n = 0; n < channel.sends.size(); ++n) {
        const std::size_t receive = channel.receive(n);
        if (receive == none || clock(receive) != clock(channel.sends[n])) continue;
        if (events_[receive].process != events_[channel.sends[n]].process) {
          if (recorded_[receive].time < recorded_[channel.sends[n]].time) count(Case::clock_disagrees);
        } else if (!state_[receive].internal) {
          count(Case::self_message);
        }
      }
    }
    for (const Instance& instance : instances_)
      if (instance.orders && !instance.disagrees) find_disagreements(instance);
  }

  void find_disagreements(const Instance& instance) {
    std::vector<std::size_t> ends = instance.ends;
    for (std::size_t r = 0; r < ends.size(); ++r)
      if (ends[r] == none) ends[r] = instance.late[r];
    const bool complete = std::find(ends.begin(), ends.end(), none) == ends.end();
    if (!complete) ends = instance.ends;
    const bool barrier = instance.operation == Operation::barrier;
    for (std::size_t s = 0; s < ends.size(); ++s) {
      if (ends[s] == none || (!complete && instance.excused[s])) continue;
      const std::size_t begin = state_[ends[s]].begin;
      if (begin == none || (!barrier && events_[ends[s]].bytes == 0)) continue;
      if (instance.kind == CollectiveClass::one_to_n && s != instance.root) continue;
      for (std::size_t r = 0; r < ends.size(); ++r) {
        if (r == s || ends[r] == none || clock(ends[r]) != clock(begin)) continue;
        if (!barrier && events_[ends[r]].received == 0) continue;
        if (instance.kind == CollectiveClass::n_to_one && r != instance.root) continue;
        if (instance.kind == CollectiveClass::prefix && s > r) continue;
        if (recorded_[ends[r]].time < recorded_[begin].time) count(Case::clock_disagrees);
      }
    }
  }

  // -- the work list --
  [[nodiscard]] std::vector<ProcessIndex> waiting_processes() const {
    std::vector<ProcessIndex> waiting;
    for (ProcessIndex p = 0; p < processes_.size(); ++p)
      if (processes_[p].waits_since != none) waiting.push_back(p);
    std::sort(waiting.begin(), waiting.end(),
              [&](ProcessIndex a, ProcessIndex b) { return processes_[a].waits_since < processes_[b].waits_since; });
    return waiting;
  }

  void list_ready() {
    for (const ProcessIndex p : waiting_processes()) {
      if (processes_[p].on_list || !ready(processes_[p].queue.front())) continue;
      processes_[p].on_list = true;
      work_list_.push_back(p);
    }
  }

  void work() {
    while (!work_list_.empty()) {
      const ProcessIndex p = work_list_.front();
      work_list_.pop_front();
      ProcessState& process = processes_[p];
      process.on_list = false;
      process.waits_since = none;
      while (!process.queue.empty() && ready(process.queue.front())) {
        process_head(p);
        list_ready();
      }
      if (!process.queue.empty()) process.waits_since = next_wait_++;
    }
  }

  void process_head(ProcessIndex p) {
    const std::size_t e = processes_[p].queue.front();
    processes_[p].queue.pop_front();
    step(e);
  }

  // -- regulators [R 4.4] --
  void choose_bounds() {
    gamma_max_ = parameters_.gamma_max.value_or(quartz_ ? 0.99999 : 0.99998);
    gamma_min_ = parameters_.gamma_min.value_or(quartz_ ? std::min(gamma_max_, 0.9999) : 0.98);
    if (!parameters_.regulator_a) gamma_max_ = 1;
    if (!parameters_.regulator_d) gamma_min_ = 0;
  }

  /// Circles of messages have gained on clocks: either all that communicated are ahead by more than a quarter of the
  /// largest difference that was seen directly, or a process by more than 1.2 times what a chain can sum up in which
  /// no process is set forward twice.
  [[nodiscard]] bool proves_other_clocks(double d) const {
    if (parameters_.regulator_b) {
      bool any = false;
      bool all = true;
      for (const ProcessState& process : processes_) {
        if (!process.communicated) continue;
        any = true;
        all = all && ahead(process.last) > 0 && ahead(process.last) > 0.25 * difference_;
      }
      if (any && all) return true;
    }
    return parameters_.regulator_c &&
           d > 1.2 * static_cast<double>(std::max<std::size_t>(1, set_forward_)) * difference_;
  }

  [[nodiscard]] double gamma_b() const {
    double smallest = std::numeric_limits<double>::infinity();
    double largest = 0;
    double sum = 0;
    for (const ProcessState& process : processes_) {
      if (!process.communicated) continue;
      const double d = ahead(process.last);
      smallest = std::min(smallest, d);
      largest = std::max(largest, d);
      sum += std::pow(d, 16);
    }
    if (!(smallest > 0) || smallest == std::numeric_limits<double>::infinity()) return gamma_max_;
    const double norm = parameters_.norm == Norm::maximum ? largest : std::pow(sum, 1.0 / 16);
    const double x = smallest / norm;
    return gamma_max_ * (1 - x * x);
  }

  [[nodiscard]] double gamma_c(double d) const {
    if (difference_ == 0) return d > 0 ? 0 : gamma_max_;
    const double q = d / difference_;
    if (q <= 1.2) return gamma_max_;
    if (q >= 3.0) return 0;
    const double u = (q - 1.2) / (3.0 - 1.2);
    return gamma_max_ * (1 - u * u * (3 - 2 * u));
  }

  [[nodiscard]] double gamma(double d) {
    if (quartz_ && proves_other_clocks(d)) {
      quartz_ = false;
      choose_bounds();
      difference_ = difference_at(result_.order.back());
    }
    double value = gamma_max_;
    if (parameters_.regulator_b) value = std::min(value, gamma_b());
    if (parameters_.regulator_c && !quartz_) value = std::min(value, gamma_c(d));
    return std::max(value, gamma_min_);
  }

  /// Regulator C's m, before event e may raise it: while clocks count as quartz it does not fall.
  [[nodiscard]] double difference_at(std::size_t e) const {
    if (raised_at_ == none) return 0;
    if (quartz_) return simply_ahead(raised_at_);
    const double since = static_cast<double>(recorded_[e].time - recorded_[raised_at_].time) +
                         (simply_ahead(e) - simply_ahead(raised_at_));
    return std::max(0.0, simply_ahead(raised_at_) - 0.5 * (1 - gamma_max_) * std::max(0.0, since));
  }

  // -- the forward step [R eq. 4.10, 4.11]; where a clock was set back, in F = LC' - C^ --
  void step(std::size_t e) {
    const Event& event = events_[e];
    ProcessState& process = processes_[clock(e)];

    double local = 0;
    double simple = 0;
    if (process.last != none) {
      const double before = result_.forward[process.last];
      const double simple_before = result_.simple[process.last];
      const double advance = static_cast<double>(event.time - events_[process.last].time);
      const double elapsed = static_cast<double>(recorded_[e].time - recorded_[process.last].time);
      const double delta =
          reference_delta(parameters_, definitions_, clock(e)).value_or(std::min(1.0, std::abs(elapsed)));
      double regulated = 0;
      if (ahead(process.last) > 0) {
        const double g = gamma(ahead(process.last));
        result_.gamma[e] = g;
        result_.lowest_gamma = std::min(result_.lowest_gamma, g);
        regulated = before - (1 - g) * elapsed + (elapsed - advance);
      }
      local = std::max({0.0, regulated, before + (delta - advance)});
      simple = std::max(0.0, simple_before + (delta - advance));
    }

    double edge = -std::numeric_limits<double>::infinity();
    double simple_edge = edge;
    for (const Edge& tail : edges_of(e)) {
      const double apart = static_cast<double>(events_[tail.tail].time - event.time + tail.mu);
      edge = std::max(edge, result_.forward[tail.tail] + apart);
      simple_edge = std::max(simple_edge, result_.simple[tail.tail] + apart);
      result_.edges.push_back(tail);
    }
    result_.forward[e] = std::max(local, edge);
    result_.amortized[e] = result_.forward[e];
    result_.simple[e] = std::max(simple, simple_edge);
    result_.jump[e] = std::max(0.0, edge - local);
    // Regulator C's largest clock difference; L0 as an offset on its event's recorded time.
    double m = difference_at(e);
    if (simply_ahead(e) > m) {
      raised_at_ = e;
      m = simply_ahead(e);
    }
    if (result_.jump[e] > 0 && !process.set_forward) {
      process.set_forward = true;
      ++set_forward_;
    }
    difference_ = m;

    state_[e].local = local;
    process.last = e;
    if (result_.jump[e] > 0) note_jump(e);
    if (event.role != Role::internal) process.communicated = true;
    state_[e].processed = true;
    result_.order.push_back(e);
  }

  [[nodiscard]] std::vector<Edge> edges_of(std::size_t e) const {
    std::vector<Edge> edges;
    const EventState& state = state_[e];
    if (state.internal) return edges;
    const Event& event = events_[e];
    if (event.role == Role::receive) {
      if (clock(state.send) == clock(e)) return edges;
      const Ticks mu = reference_delay(parameters_, definitions_, events_[state.send].process, event.process,
                                       events_[state.send].bytes, event.communicator);
      edges.push_back({state.send, e, mu});
    } else if (event.role == Role::collective_end) {
      for (const std::size_t tail : collective_tails(e))
        edges.push_back(
            {tail, e,
             reference_delay(parameters_, definitions_, events_[tail].process, event.process, 0, event.communicator)});
    }
    return edges;
  }

  void note_jump(std::size_t e) {
    state_[e].interval = cldiff_ / error_;
    state_[e].barrier = processes_[clock(e)].barrier;
    if (result_.jump[e] <= cldiff_) return;
    for (ProcessState& process : processes_) {
      // No later jump of the process stands before this, so events before this less L_A may be gone.
      double earliest = static_cast<double>(now_ - events_[0].time);
      if (!process.queue.empty()) {
        earliest = static_cast<double>(events_[process.queue.front()].time - events_[0].time);
        if (process.last != none)
          earliest = std::max(earliest, static_cast<double>(events_[process.last].time - events_[0].time) +
                                            std::floor(result_.forward[process.last]));
      }
      process.barrier = std::max(process.barrier, earliest - std::ceil(cldiff_ / error_));
    }
    cldiff_ = result_.jump[e];
  }

  // ---- backward amortization [R alg. 5] -----------------------------------------------------------
  void amortize() {
    if (!parameters_.amortization) return;
    std::vector<JumpWindow> windows;
    for (const EventState& state : state_) windows.push_back({state.local, state.interval, state.barrier});
    result_.amortized = amortized(definitions_, events_, result_, windows);
  }

  const Parameters& parameters_;
  const Definitions& definitions_;
  std::span<const Event> recorded_;
  std::vector<Event> events_;  // with C^ for C
  double gamma_max_ = 1;
  double gamma_min_ = 0;
  Ticks wait_limit_ = 0;
  std::optional<Ticks> clock_error_;
  double error_ = 1;

  Time now_;
  std::vector<EventState> state_;
  std::vector<ProcessState> processes_;
  std::deque<ProcessIndex> work_list_;
  std::size_t next_wait_ = 0;
  std::map<ChannelKey, Channel> channels_;
  std::vector<std::optional<Time>> first_;  // record of each process
  std::deque<Wait> waits_;                  // in input order
  std::deque<Wait> blocked_;                // the same, beyond the wait limit
  std::vector<Instance> instances_;
  std::map<std::pair<CommunicatorIndex, std::size_t>, std::size_t> instance_of_;
  std::vector<std::vector<std::size_t>> members_read_;

  std::size_t raised_at_ = none;  // event of regulator C's last raise
  double difference_ = 0;         // regulator C's m
  bool quartz_ = false;           // clocks count as quartz
  std::size_t set_forward_ = 0;   // processes that had a jump
  double cldiff_ = 0;
  Reference result_;
};

/// Times that rounding alone tells apart are one: a hull is steep there, and would show the rounding.
long double snapped(long double x, long double x_r) { return x_r - x < 0x1p-10L ? x_r : x; }

}  // namespace

std::vector<double> amortized(const Definitions& definitions, std::span<const Event> events, const Reference& result,
                              std::span<const JumpWindow> windows) {
  std::vector<std::vector<Edge>> heads(events.size());
  for (const std::vector<Edge>* edges : {&result.edges, &result.disowned})
    for (const Edge& edge : *edges) heads[edge.tail].push_back(edge);
  std::vector<long double> offset(result.forward.begin(), result.forward.end());
  const auto since_start = [&](std::size_t e) { return static_cast<long double>(events[e].time - events[0].time); };

  for (ClockIndex clock = 0; clock < definitions.processes().size(); ++clock) {
    std::vector<std::size_t> before;  // the clock's events before R
    for (std::size_t r = 0; r < events.size(); ++r) {
      if (definitions.processes()[events[r].process].clock != clock) continue;
      if (result.jump[r] > 0 && !before.empty()) {
        const long double jump = result.jump[r];
        const long double x_r = since_start(r) + windows[r].local;
        const long double start = std::max<long double>(x_r - windows[r].length, windows[r].barrier);

        // The filter lowers crosses by this much so that rounding cannot carry a tail beyond; where the hull is
        // steep to the right of it, that shows in ticks.
        constexpr long double margin = 0x1p-14L;
        std::vector<Point> points{{start, 0}};
        long double lowest = jump;
        for (const std::size_t s : before) {
          const long double x = snapped(since_start(s) + offset[s], x_r);
          if (x < start || heads[s].empty()) continue;
          long double slack = std::numeric_limits<long double>::infinity();
          for (const Edge& edge : heads[s])
            slack = std::min(
                slack, since_start(edge.head) + result.forward[edge.head] - static_cast<long double>(edge.mu) - x);
          points.push_back({x, std::max(0.0L, slack - margin)});
          lowest = std::min(lowest, points.back().y);
        }
        points.push_back({x_r, jump});
        const long double first = snapped(since_start(before.front()) + offset[before.front()], x_r);
        if (first >= start) points.front() = {first, lowest};

        for (const std::size_t s : before) {
          const long double x = snapped(since_start(s) + offset[s], x_r);
          if (x >= start) offset[s] += hull_at(points, x);
        }
      }
      before.push_back(r);
    }
  }
  return {offset.begin(), offset.end()};
}

std::optional<double> reference_delta(const Parameters& parameters, const Definitions& definitions, ClockIndex clock) {
  std::optional<double> largest;
  for (const Process& process : definitions.processes()) {
    if (process.clock != clock) continue;
    std::optional<double> us = parameters.delta_us;
    for (const ProcessDelta& own : parameters.process_deltas)
      if (own.process == process.number) us = own.microseconds;
    if (us)
      largest = std::max(largest.value_or(0), static_cast<double>(definitions.resolution.ticks_of_microseconds(*us)));
  }
  return largest;
}

Reference reference(const Parameters& parameters, const Definitions& definitions, std::span<const Event> events) {
  return Simulation(parameters, definitions, events).run();
}

Ticks reference_delay(const Parameters& parameters, const Definitions& definitions, ProcessIndex from, ProcessIndex to,
                      std::uint64_t bytes, CommunicatorIndex communicator) {
  if (const Ticks own = definitions.communicators()[communicator].min_delay; own > 0) return own;
  const auto ticks = [&](double us) { return std::max<Ticks>(1, definitions.resolution.ticks_of_microseconds(us)); };
  const Process& sender = definitions.processes()[from];
  const Process& receiver = definitions.processes()[to];
  // Processes that share a clock are on one node.
  const NodeIndex sender_node = definitions.processes()[sender.clock].node;
  const NodeIndex receiver_node = definitions.processes()[receiver.clock].node;
  Ticks mu = parameters.min_delay_us ? ticks(*parameters.min_delay_us)
             : definitions.min_delay ? std::max<Ticks>(1, *definitions.min_delay)
                                     : ticks(Parameters::default_min_delay_us);
  if (sender_node != no_node && sender_node == receiver_node) {
    if (parameters.node_delay_us)
      mu = ticks(*parameters.node_delay_us);
    else if (!parameters.min_delay_us && definitions.node_min_delay)
      mu = std::max<Ticks>(1, *definitions.node_min_delay);
  }
  for (const PairDelay& pair : parameters.pair_delays)
    if (pair.from == sender.number && pair.to == receiver.number) mu = ticks(pair.microseconds);
  if (parameters.bandwidth_mb_s) {
    const double ticks_per_byte =
        static_cast<double>(definitions.resolution.per_second()) / (*parameters.bandwidth_mb_s * 1e6);
    mu += static_cast<Ticks>(std::ceil(static_cast<double>(bytes) * ticks_per_byte));
  }
  return mu;
}

long double hull_at(std::span<const Point> points, long double x) {
  // Rounding decides whether what stands within this much of the end stands before it or at it; so it counts as at it.
  constexpr long double tie = 0x1p-10L;
  Point end = points.back();
  for (const Point& point : points)
    if (point.x >= end.x - tie) end.y = std::min(end.y, point.y);
  if (x >= end.x - tie) return end.y;
  // Gift wrapping: from a corner the next one is where the slope is smallest, of equal slopes the furthest.
  Point corner = points.front();
  for (const Point& point : points)
    if (point.x <= corner.x) corner.y = std::min(corner.y, point.y);
  for (;;) {
    Point next = end;
    for (const Point& point : points) {
      if (point.x <= corner.x || point.x >= end.x - tie) continue;
      const long double slope = (point.y - corner.y) / (point.x - corner.x);
      const long double best = (next.y - corner.y) / (next.x - corner.x);
      if (slope < best || (slope == best && point.x > next.x)) next = point;
    }
    if (x <= next.x) return corner.y + (next.y - corner.y) / (next.x - corner.x) * (x - corner.x);
    corner = next;
  }
}

}  // namespace clc::test
