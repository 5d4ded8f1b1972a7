// The evaluation of round trips by clc-record, on made-up samples whose truth is known.
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <memory>
#include <numeric>
#include <random>

#include "clc/io/batch.hpp"
#include "clc/io/format.hpp"
#include "clc/io/source.hpp"
#include "record/evaluation.hpp"
#include "record/failures.hpp"
#include "record/locations.hpp"
#include "record/receives.hpp"
#include "record/writer.hpp"

using namespace clc::record;

TEST_CASE("measured offsets are the true ones within their bounds") {
  std::mt19937_64 random(1);
  for (int round = 0; round < 500; ++round) {
    // What has to be added to the clock that answers; at times of days, in which a double has no nanoseconds.
    const auto truth = static_cast<std::int64_t>(random() >> 10U) - (std::int64_t{1} << 53);
    std::int64_t time = static_cast<std::int64_t>(random() >> 4U);
    const auto mu = static_cast<std::int64_t>(random() % 2000);
    const std::uint64_t jitter = random() % 5000 + 1;
    const auto delay = [&] { return mu + (random() % 2 == 0 ? 0 : static_cast<std::int64_t>(random() % jitter)); };
    std::vector<RoundTrip> samples(random() % 200 + 1);
    std::int64_t least = INT64_MAX;
    double error = 0;
    for (RoundTrip& sample : samples) {
      const std::int64_t there = delay();
      const std::int64_t back = delay();
      const auto stay = static_cast<std::int64_t>(random() % 100);
      sample.asked = time;
      sample.received = time + there - truth;
      sample.answered = sample.received + stay;
      sample.returned = time + there + stay + back;
      time = sample.returned + 50;
      CHECK(sample.length() == static_cast<double>(there + back));
      if (there + back >= least) continue;
      least = there + back;
      error = static_cast<double>(back - there) / 2;
    }
    const Offset found = offset(samples);
    // Half a unit in the last place of the value, which is below 2^54.
    CHECK(std::fabs(found.value - static_cast<double>(truth)) <= found.bound + 1);
    CHECK(found.value - static_cast<double>(truth) == Approx(error).margin(1));
    CHECK(found.bound == static_cast<double>(least) / 2);
  }
}

TEST_CASE("the frequency of a counter is the true one within q, also where both clocks advance in long steps") {
  std::mt19937_64 random(2);
  const auto share = [&] { return static_cast<double>(random() >> 11U) * 0x1p-53; };
  for (int round = 0; round < 5000; ++round) {
    // x86: 3 GHz beside a clock of 1 ns; aarch64: one counter of 19.2 MHz to 1 GHz for both.
    const bool same = random() % 2 == 0;
    const double count = same ? 1 + 52 * share() : 0.2 + share();  // ns of a count
    const double step = same ? count : 1;
    const double phase = count * share();
    const double most = random() % 2 == 0 ? 1 : 300;  // ns between readings
    const auto clock = [step](double now) { return static_cast<std::uint64_t>(std::floor(now / step) * step); };
    const auto read = [&](double now) {
      const std::uint64_t before = clock(now);
      now += most * share();
      const auto counter = static_cast<std::uint64_t>((now + phase) / count);
      now += most * share();
      const std::uint64_t after = clock(now);
      return Reading{counter, before + (after - before) / 2, after - before};
    };
    const double begin = 1e9 * share();
    const Frequency found = frequency(read(begin), read(begin + 2e5 + 1e8 * share()));
    CHECK(std::fabs(found.megahertz * count / 1000 - 1) <= found.error);
  }
}

TEST_CASE("half round trips beyond twice the shortest do not count") {
  const HalfTrips half = half_trips({201, 100, 110, 1000, 150, 200});
  CHECK(half.shortest == 50);
  CHECK(half.mean == 70);
  CHECK(half.longest == 100);
  CHECK(half.kept == 4);
  CHECK(half.count == 6);
  CHECK(half_trips({}).count == 0);
  CHECK(half_trips({7}).mean == 3.5);
}

TEST_CASE("the distribution has all samples in tenths of the shortest") {
  const Distribution shares = distribution({100, 105, 111, 199, 205, 5000, 100, 100, 100, 100});
  CHECK(shares[0] == Approx(0.6));
  CHECK(shares[1] == Approx(0.1));
  CHECK(shares[9] == Approx(0.1));
  CHECK(shares[10] == Approx(0.2));
  std::mt19937_64 random(2);
  std::vector<double> lengths(1000);
  for (double& length : lengths) length = 1000 + static_cast<double>(random() % 3000);
  const Distribution all = distribution(lengths);
  CHECK(std::accumulate(all.begin(), all.end(), 0.0) == Approx(1));
  CHECK(distribution({0, 5})[10] == 0.5);
}

TEST_CASE("the most frequent round trip is found among others") {
  std::mt19937_64 random(3);
  for (int round = 0; round < 100; ++round) {
    const double mode = 500 + static_cast<double>(random() % 1000);
    std::vector<double> lengths;
    for (int i = 0; i < 400; ++i) lengths.push_back(100 + static_cast<double>(random() % 4000));
    for (int i = 0; i < 200; ++i) lengths.push_back(mode + static_cast<double>(random() % 20));
    std::sort(lengths.begin(), lengths.end());
    CHECK(most_frequent(lengths) >= mode);
    CHECK(most_frequent(lengths) <= mode + 20);
  }
}

// R 7.2
TEST_CASE("the minimum delay comes from the shortest round trip, or from the most frequent one where that is rare") {
  CHECK(min_delay({}) == 0);
  CHECK(min_delay({1000, 1010, 1050, 5000}) == Approx(450));
  std::vector<double> rare(100, 1000.0);
  rare[0] = 600;
  CHECK(min_delay(rare) == Approx(225));  // 90 % of a quarter of 1000
  for (int i = 0; i < 5; ++i) rare[static_cast<std::size_t>(i)] = 600;
  CHECK(min_delay(rare) == Approx(270));
  // Never above half the shortest.
  std::mt19937_64 random(4);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> lengths(random() % 300 + 1);
    for (double& length : lengths) length = 100 + static_cast<double>(random() % 100'000);
    CHECK(min_delay(lengths) < *std::min_element(lengths.begin(), lengths.end()) / 2);
  }
}

TEST_CASE("the line of the minimum delay names both classes only if both were measured") {
  CHECK(min_delay_line(0, 0).empty());
  CHECK(min_delay_line(5000.9, 0) == "%min-delay 5000");
  CHECK(min_delay_line(0, 300) == "%min-delay 300");
  CHECK(min_delay_line(5000, 300.5) == "%min-delay 5000 node=300");
  CHECK(min_delay_line(0.2, 300) == "%min-delay 1 node=300");
}

TEST_CASE("a communicator may have more members than a block has room for") {
  constexpr unsigned processes = 30'000;
  const std::string path =
      std::filesystem::temp_directory_path() / ("many-members-" + std::to_string(::getpid()) + ".clcb");
  {
    Writer writer;
    REQUIRE(writer.open(path.c_str()));
    writer.note("%resolution 1000000000");
    std::string all = "%group 0";
    for (unsigned process = 0; process < processes; ++process) {
      writer.note("%process " + std::to_string(process));
      all += ' ' + std::to_string(process);
    }
    writer.note(all);
    writer.note("%group 1 7");
    writer.record(7, 1000);
    writer.byte(0);
    writer.text("a record");
    writer.close();
    REQUIRE(writer.error() == 0);
  }
  const clc::OpenedSource opened = clc::open_source(path);
  clc::Batch batch;
  std::size_t events = 0;
  for (bool more = true; more; events += batch.events.size()) more = opened.source->read(batch);
  CHECK(events == 1);
  const clc::Definitions& definitions = opened.source->definitions();
  REQUIRE(definitions.communicators().size() == 2);
  CHECK(definitions.communicators()[0].members.size() == processes);
  CHECK(definitions.communicators()[1].members.size() == 1);
  std::filesystem::remove(path);
}

TEST_CASE("incomplete traces are listed with their reasons, neighbours together, and not all of very many") {
  CHECK(incomplete_traces({}).empty());
  CHECK(incomplete_traces({0, 0, 0}).empty());
  CHECK(incomplete_traces({0, ENOSPC}) == "rank1.clcb (No space left on device)");
  CHECK(incomplete_traces({ENOSPC, ENOSPC, 0, EIO, EIO, EIO, EFBIG}) ==
        "rank0.clcb and rank1.clcb (No space left on device), rank3.clcb to rank5.clcb (Input/output error), "
        "rank6.clcb (File too large)");
  std::vector<int> errors(100);
  for (std::size_t i = 0; i < errors.size(); i += 2) errors[i] = EIO;
  const std::string list = incomplete_traces(errors);
  CHECK(list.substr(list.size() - 44) == "rank14.clcb (Input/output error) and 42 more");
}

TEST_CASE("threads take the lowest location that no other one has, and none if there are too many") {
  Locations locations(3);
  for (int i = 0; i <= 3; ++i) CHECK(locations.take() == i);
  CHECK(locations.take() == Locations::none);
  locations.give_back(2);
  locations.give_back(1);
  CHECK(locations.take() == 1);
  CHECK(locations.take() == 2);
  CHECK(locations.take() == Locations::none);
  std::mt19937_64 random(6);
  std::vector<bool> taken(100);
  Locations many(99);
  for (int round = 0; round < 10'000; ++round) {
    const std::size_t other = random() % 100;
    if (taken[other]) {
      many.give_back(static_cast<int>(other));
      taken[other] = false;
    } else {
      const auto lowest = std::find(taken.begin(), taken.end(), false);
      REQUIRE(many.take() == lowest - taken.begin());
      *lowest = true;
    }
  }
}

namespace {

/// A receive as MPI sees it.
struct FakeReceive : Receive {
  Channel posted;
  Channel message;  ///< communicator: nullptr if it has none yet
  bool settled = true;
};
std::size_t fake_looks = 0;

ActiveReceives::Found look_at_fake(const Receive& receive) {
  ++fake_looks;
  const auto& fake = static_cast<const FakeReceive&>(receive);
  if (fake.message.communicator == nullptr) return {};
  return {fake.settled, fake.message.source, fake.message.tag};
}

}  // namespace

TEST_CASE("receives overtake those of their channel that were posted before, as if one looked at all") {
  std::mt19937_64 random(7);
  const int communicators[2] = {};
  for (int round = 0; round < 300; ++round) {
    ActiveReceives active;
    std::vector<std::unique_ptr<FakeReceive>> all;  // those that are active, in the order of their posts
    std::uint64_t sequence = 0;
    const auto value = [&](std::uint64_t any) {
      return random() % 8 < any ? Channel::any_value : static_cast<int>(random() % 3);
    };
    const std::uint64_t any = random() % 4;
    for (int step = 0; step < 400; ++step) {
      if (random() % 100 < 52) {
        auto posted = std::make_unique<FakeReceive>();
        posted->posted = {&communicators[random() % 2], value(any), value(any)};
        posted->sequence = ++sequence;
        active.insert(*posted, posted->posted);
        all.push_back(std::move(posted));
      } else if (!all.empty() && random() % 2 == 0) {  // MPI has its message
        FakeReceive& arrived = *all[random() % all.size()];
        if (arrived.message.communicator == nullptr) {
          arrived.message = arrived.posted;
          if (arrived.posted.source < 0) arrived.message.source = value(0);
          if (arrived.posted.tag < 0) arrived.message.tag = value(0);
        }
        arrived.settled = random() % 4 != 0;
      } else if (!all.empty()) {
        const std::size_t place = random() % all.size();
        FakeReceive& ended = *all[place];
        active.erase(ended);
        active.erase(ended);  // it is not active any more
        const Channel channel = ended.message.communicator != nullptr
                                    ? ended.message
                                    : Channel{ended.posted.communicator, value(0), value(0)};
        std::uint64_t overtaken = 0;
        for (std::size_t i = 0; i < place; ++i)
          overtaken += all[i]->posted == channel || all[i]->message == channel ? 1U : 0U;
        REQUIRE(active.overtaken(channel, ended.sequence, look_at_fake) == overtaken);
        if (random() % 8 == 0) {  // its request belongs to a matched message: it takes its former place
          active.insert(ended, ended.posted);
          REQUIRE(active.overtaken(channel, ended.sequence - 1, look_at_fake) == overtaken);
        } else {
          all.erase(all.begin() + static_cast<std::ptrdiff_t>(place));
        }
      }
      REQUIRE(active.empty() == all.empty());
    }
  }
}

TEST_CASE("receives with wildcards that end from the last to the first are looked at once") {
  constexpr std::size_t count = 100'000;
  const int communicator = 0;
  for (const bool one_tag : {false, true}) {
    ActiveReceives active;
    std::vector<FakeReceive> all(count);
    for (std::size_t i = 0; i < count; ++i) {
      const int tag = one_tag ? 0 : static_cast<int>(i);
      all[i].posted = {&communicator, Channel::any_value, tag};
      all[i].message = {&communicator, 1, tag};
      all[i].sequence = i + 1;
      active.insert(all[i], all[i].posted);
    }
    fake_looks = 0;
    for (std::size_t i = count; i-- > 0;) {
      active.erase(all[i]);
      const std::uint64_t overtaken = one_tag ? std::min<std::uint64_t>(i, 65535) : 0;
      REQUIRE(active.overtaken(all[i].message, all[i].sequence, look_at_fake) == overtaken);
    }
    CHECK(fake_looks == (one_tag ? count - 1 : 0));
    CHECK(active.empty());
  }
}
