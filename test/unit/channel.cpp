// Which receive belongs to which send.
#include "trace/channel.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include "clc/event.hpp"

namespace clc::test {

TEST_CASE("channel: the n-th receive posted belongs to the n-th send, in any order of adding") {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    MessageChannel<int> channel;
    // Receives 0, 1, ... as posted, of which some are added late: they were overtaken.
    std::vector<int> overtaken;
    int posted = 0;
    int sent = 0;
    std::vector<std::optional<int>> added(400);  // receives, by number
    for (int step = 0; step < 100; ++step) {
      if (random() % 2 == 0) {
        const bool is_there = added[static_cast<std::size_t>(sent)].has_value();
        const std::optional<int> receive = channel.add(true, 0, sent);
        REQUIRE(receive.has_value() == is_there);
        if (receive) REQUIRE(*receive == sent);
        ++sent;
        continue;
      }
      const std::size_t overtakes = random() % 4;
      while (overtaken.size() <= overtakes) overtaken.push_back(posted++);
      const int number = overtaken[overtakes];
      overtaken.erase(overtaken.begin() + static_cast<std::ptrdiff_t>(overtakes));
      added[static_cast<std::size_t>(number)] = number;
      const std::optional<int> send = channel.add(false, overtakes, number);
      REQUIRE(send.has_value() == (number < sent));
      if (send) REQUIRE(*send == number);
    }
    std::size_t lone_receives = 0;
    for (int i = sent; i < posted; ++i) lone_receives += added[static_cast<std::size_t>(i)].has_value();
    CHECK(channel.receives_without_send().size() == lone_receives);
    channel.forget_if([](int) { return true; });
    CHECK(channel.all_have_partners());
    CHECK(channel.is_like_new() == overtaken.empty());
  }
}

TEST_CASE("channel: what waits is what a map of the same numbers holds, in any order") {
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const std::uint32_t disorder = seed % 8;  // of 0: in order
    Pending<int> pending;
    std::map<std::uint64_t, int> plain;
    std::uint64_t next = 0;
    for (int step = 0; step < 2000; ++step) {
      const std::uint64_t back = disorder == 0 ? 0 : random() % (1 + random() % (20 * disorder));
      if (random() % 2 == 0) {
        const std::uint64_t number = back >= next ? next : next - back;
        if (plain.contains(number)) continue;
        next = std::max(next, number + 1);
        pending.add(number, step);
        plain.emplace(number, step);
      } else if (!plain.empty()) {
        const auto at =
            std::next(plain.begin(), static_cast<std::ptrdiff_t>(std::min<std::size_t>(back, plain.size() - 1)));
        REQUIRE(pending.find(at->first) != nullptr);
        REQUIRE(*pending.find(at->first) == at->second);
        if (random() % 2 == 0)
          pending.remove(at->first);
        else
          REQUIRE(pending.take(at->first) == at->second);
        REQUIRE_FALSE(pending.take(at->first).has_value());
        REQUIRE(pending.find(at->first) == nullptr);
        plain.erase(at);
      }
      REQUIRE(pending.size() == plain.size());
      REQUIRE((pending.find(next - back) != nullptr) == plain.contains(next - back));
      if (random() % 100 == 0) {
        pending.remove_if([](int end) { return end % 3 == 0; });
        std::erase_if(plain, [](const auto& one) { return one.second % 3 == 0; });
      }
    }
    std::vector<int> ends;
    pending.for_each([&](int end) { ends.push_back(end); });
    std::vector<int> expected;
    for (const auto& [number, end] : plain) expected.push_back(end);
    CHECK(ends == expected);
  }
}

TEST_CASE("channel: its key is the same for both ends") {
  Event send;
  send.role = Role::send;
  send.process = 3;
  send.peer = 5;
  send.communicator = 1;
  send.tag = -7;
  Event receive = send;
  receive.role = Role::receive;
  std::swap(receive.process, receive.peer);
  CHECK(ChannelKey(send) == ChannelKey(receive));
  CHECK(ChannelKeyHash()(ChannelKey(send)) == ChannelKeyHash()(ChannelKey(receive)));
  receive.role = Role::send;  // the other direction
  CHECK_FALSE(ChannelKey(send) == ChannelKey(receive));
  CHECK(ChannelKey(send).names_both_ends());
  send.peer = no_process;
  CHECK_FALSE(ChannelKey(send).names_both_ends());
}

}  // namespace clc::test
