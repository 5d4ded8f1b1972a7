// Which receive belongs to which send.
#include "trace/channel.hpp"

#include <catch2/catch.hpp>
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
