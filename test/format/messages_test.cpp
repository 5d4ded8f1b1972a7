// What joins the ends of messages in formats that need a name or a number for it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <tuple>
#include <vector>

#include "common/message_numbers.hpp"
#include "common/message_places.hpp"

using namespace clc;
using formats::MessageNumbers;
using formats::MessagePlace;
using formats::MessagePlaces;

namespace {

/// Both ends of a message from process 0 to 1.
struct Ends {
  explicit Ends(std::int64_t tag = 0) {
    send.role = Role::send;
    send.process = 0;
    send.peer = 1;
    send.communicator = 0;
    send.tag = tag;
    receive = send;
    receive.role = Role::receive;
    std::swap(receive.process, receive.peer);
  }
  Event send;
  Event receive;
};

/// The ends of each process in their order, the processes interleaved by chance.
std::vector<Event> interleaved(std::vector<std::vector<Event>> processes, std::mt19937& random) {
  std::vector<Event> events;
  for (std::vector<Event>& own : processes) std::reverse(own.begin(), own.end());
  for (;;) {
    std::erase_if(processes, [](const auto& own) { return own.empty(); });
    if (processes.empty()) return events;
    std::vector<Event>& own = processes[random() % processes.size()];
    events.push_back(own.back());
    own.pop_back();
  }
}

auto words(const MessagePlace& place) {
  return std::tuple(place.channel.sender, place.channel.receiver, place.channel.communicator, place.channel.tag,
                    place.age, place.before);
}

}  // namespace

TEST_CASE("messages: receives that overtake leave others their sends") {
  // Receives of a channel in the order of posting end in any order, before or after their sends.
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    const std::size_t count = 1 + random() % 12;
    std::vector<std::size_t> ending(count);
    for (std::size_t i = 0; i < count; ++i) ending[i] = i;
    std::shuffle(ending.begin(), ending.end(), random);
    Ends ends;
    MessageNumbers numbers;
    MessagePlaces places;
    std::vector<std::uint64_t> of_sends;
    std::vector<std::uint64_t> of_receives(count);
    for (std::size_t ended = 0; ended < count || of_sends.size() < count;) {
      if (ended == count || (of_sends.size() < count && random() % 2 == 0)) {
        CHECK(places.of(ends.send, 0).before == of_sends.size());
        of_sends.push_back(numbers.end(ends.send, 0, Time()).number);
        continue;
      }
      const auto at = ending.begin() + static_cast<std::ptrdiff_t>(ended++);
      ends.receive.overtakes =
          static_cast<std::uint16_t>(std::count_if(at, ending.end(), [&](std::size_t other) { return other < *at; }));
      CHECK(places.of(ends.receive, 1).before == *at);
      of_receives[*at] = numbers.end(ends.receive, 1, Time()).number;
    }
    CHECK(of_receives == of_sends);
    CHECK(numbers.end(ends.send, 0, Time()).number == count + 1);
  }
}

TEST_CASE("messages: their places do not depend on the order of the trace, and no two have the same") {
  std::mt19937 random(2);
  for (int round = 0; round < 100; ++round) {
    std::vector<std::vector<Event>> processes(4);
    for (int message = 0; message < 60; ++message) {
      const auto sender = static_cast<ProcessIndex>(random() % 4);
      const auto receiver = static_cast<ProcessIndex>((sender + 1 + random() % 3) % 4);
      Ends ends(static_cast<std::int64_t>(random() % 2));
      ends.send.process = ends.receive.peer = sender;
      ends.send.peer = ends.receive.process = receiver;
      ends.send.communicator = ends.receive.communicator = static_cast<CommunicatorIndex>(random() % 2);
      ends.send.bytes = ends.receive.bytes = static_cast<std::uint64_t>(message);  // tells which one it is
      processes[sender].push_back(ends.send);
      processes[receiver].push_back(ends.receive);
    }
    const auto all_places = [&] {
      MessagePlaces places;
      std::vector<std::vector<MessagePlace>> of(60);
      for (const Event& event : interleaved(processes, random))
        of[event.bytes].push_back(places.of(event, event.process));
      return of;
    };
    const auto once = all_places();
    CHECK(once == all_places());
    std::vector<decltype(words(MessagePlace()))> different;
    for (const std::vector<MessagePlace>& ends : once) {
      REQUIRE(ends.size() == 2);
      CHECK(ends[0] == ends[1]);
      different.push_back(words(ends[0]));
    }
    std::sort(different.begin(), different.end());
    CHECK(std::adjacent_find(different.begin(), different.end()) == different.end());
  }
}

constexpr std::size_t most = 1000;  // less than in use, so that it is reached soon

TEST_CASE("messages: beyond a limit channels with nothing under way are forgotten") {
  MessagePlaces places(most);
  const auto both = [&](std::int64_t tag) {
    const Ends ends(tag);
    const MessagePlace sent = places.of(ends.send, 0);
    CHECK(places.of(ends.receive, 1) == sent);
    return sent;
  };
  static_cast<void>(both(-1));
  Ends overtaking(-2);
  overtaking.receive.overtakes = 1;
  const MessagePlace ahead = places.of(overtaking.receive, 1);
  const MessagePlace under_way = places.of(Ends(-1).send, 0);
  CHECK(both(0).before == 0);
  CHECK(both(0).before == 1);
  for (std::size_t i = 0; i < most; ++i) {
    const Ends ends(static_cast<std::int64_t>(i));
    static_cast<void>(places.of(ends.send, 0));
    static_cast<void>(places.of(ends.receive, 1));
  }
  const MessagePlace again = both(0);
  CHECK(again.before == 0);
  CHECK(again.age == 1);
  CHECK(places.of(Ends(-1).receive, 1) == under_way);
  static_cast<void>(places.of(overtaking.send, 0));
  CHECK(places.of(overtaking.send, 0) == ahead);
  CHECK(places.of(Ends(-2).receive, 1).before == 0);
  CHECK(places.of(Ends(-2).receive, 1).before == 2);
}

TEST_CASE("messages: beyond a limit all channels are forgotten") {
  MessagePlaces places(most);
  for (std::size_t i = 0; i <= most; ++i) static_cast<void>(places.of(Ends(static_cast<std::int64_t>(i)).send, 0));
  const MessagePlace again = places.of(Ends(1).send, 0);
  CHECK(again.before == 0);
  CHECK(again.age == 1);
}

TEST_CASE("messages: beyond a limit receives count in the order in which they come") {
  MessagePlaces places;
  Ends ends;
  ends.receive.overtakes = 0xffff;
  CHECK(places.of(ends.receive, 1).before == 0xffff);
  ends.receive.tag = 1;
  CHECK(places.of(ends.receive, 1).before == 1);
  CHECK(places.of(ends.receive, 1).before == 2);
  ends.receive.overtakes = 0;
  CHECK(places.of(ends.receive, 1).before == 0);
}

TEST_CASE("numbers of messages: beyond a limit those that wait are forgotten") {
  MessageNumbers numbers(most);
  const auto [send, receive] = Ends();
  CHECK(numbers.end(send, 0, Time()).number == 1);
  CHECK(numbers.end(send, 0, Time()).number == 2);
  CHECK(numbers.end(receive, 1, Time()).number == 1);
  const auto end = numbers.end(receive, 1, Time(5));
  CHECK(end.number == 2);
  CHECK(end.second);
  CHECK(end.first == Time());
  for (std::size_t i = 0; i <= most; ++i) static_cast<void>(numbers.end(send, 0, Time()));
  CHECK(!numbers.end(receive, 1, Time(5)).second);
}
