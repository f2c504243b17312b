// From a thread's writer through its ring to the raw stream.
#include "collect/raw_stream.h"
#include "collect/rings/ring_reader.hpp"
#include "probes/ring/ring_writer.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <thread>

namespace abut::record {
namespace {

using ring::Kind;
using ring::kRingWords;
using ring::Word;
using ring::writer;

constexpr uint64_t kSoon = uint64_t{1} << 62; // later than any reading of the clock here

class RingsTest : public testing::Test {
protected:
  RingsTest() : header_(ring::begin_header(map_memory())) {
    ring::shared = header_;
    ring::ticks = &header_->tick;
    ring::recording = ring::Recording::on;
  }
  ~RingsTest() override {
    writer.forget();
    ring::recording = ring::Recording::off;
    ring::small_offset = ring::SmallBirth::kNowhere;
    ring::shared = nullptr;
    munmap(header_, ring::kSharedBytes);
  }

  // Zero, and for the most part never touched.
  static void *map_memory() {
    void *memory = mmap(nullptr, ring::kSharedBytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    EXPECT_NE(memory, MAP_FAILED);
    return memory;
  }
  static bool write_free(uint64_t address) {
    if (!writer.begin()) return false;
    writer.put(event(Kind::free, address));
    writer.end();
    return true;
  }
  // The addresses of the frees that have come out of the rings.
  std::vector<uint64_t> read(bool ended = false) {
    drain_.drain(kSoon, ended);
    freed_.clear();
    while (reader_.read() != 0) {
    }
    return freed_;
  }

  ring::Header *header_;
  std::shared_ptr<SlabPool> slabs_ = std::make_shared<SlabPool>();
  RingDrain drain_{header_, {kRingWords * 64}, slabs_};
  std::vector<uint64_t> freed_;
  std::vector<std::vector<uint64_t>> contexts_;
  std::vector<std::array<uint64_t, 3>> born_; // address, size, context
  RingReader reader_{drain_, [this](std::span<const uint64_t> words) {
                       for (size_t at = 0; at < words.size(); at += 1 + abut_raw_count(words[at])) {
                         const unsigned kind = abut_raw_kind(words[at]);
                         if (kind == ABUT_RAW_FREE) freed_.push_back(words[at + 2]);
                         if (kind == ABUT_RAW_ALLOCATE)
                           born_.push_back({words[at + 2], words[at + 3], words[at + 4]});
                         if (kind == ABUT_RAW_CONTEXT)
                           contexts_.emplace_back(&words[at + 1],
                                                  &words[at + 1] + abut_raw_count(words[at]));
                       }
                     }};
};

TEST_F(RingsTest, WhatIsWrittenComesOutInOrderRoundAfterRound) {
  uint64_t next = 1;
  for (int round = 0; round < 20; ++round) {
    std::vector<uint64_t> written;
    for (int i = 0; i < 700; ++i) {
      ASSERT_TRUE(write_free(next));
      written.push_back(next++);
    }
    EXPECT_EQ(read(), written);
  }
  EXPECT_EQ(drain_.lost(), 0u);
}

TEST_F(RingsTest, AsLongAsTheReaderKeepsUpTheSameFewChunksAreWritten) {
  for (uint64_t address = 1; address <= 4 * kRingWords; ++address) {
    ASSERT_TRUE(write_free(address));
    if (address % 1000 == 0) {
      ASSERT_EQ(read().size(), 1000u);
    }
    const ring::Head &head = header_->heads[0];
    ASSERT_LE(head.written - head.base, 2 * ring::kChunkWords * sizeof(Word));
  }
}

TEST_F(RingsTest, NonsenseAboutTheWayThroughTheChunksEndsTheReadingOfThem) {
  for (uint64_t address = 1; address <= 2 * ring::kChunkWords; ++address)
    ASSERT_TRUE(write_free(address));
  header_->heads[0].onward[0] = ring::Onward{0, 0}; // for ever round
  EXPECT_TRUE(read().empty());
  header_->heads[0].onward[0] = ring::Onward{0xffff, 0xffff};
  EXPECT_TRUE(read().empty());
  header_->heads[0].written = 1; // before the ring
  EXPECT_TRUE(read().empty());
}

TEST_F(RingsTest, WhileNothingIsTakenOnlyTheFirstChunkIsOpen) {
  RingDrain drain(header_, {.words_per_tick = 0, .burst = 1, .overrun_per_tick = 0}, slabs_);
  ASSERT_TRUE(write_free(1));
  EXPECT_GT(drain.drain(kSoon, false), 0u);
  EXPECT_EQ(drain.drain(kSoon, false), 0u);
  size_t written = 0;
  while (write_free(1)) ++written;
  EXPECT_GT(written, ring::kChunkWords / 3) << "of three words at most";
  EXPECT_LT(written, 2 * ring::kChunkWords);
}

TEST_F(RingsTest, WhatAThreadThatHasLeftWroteIsTakenEvenWhileNothingElseIs) {
  RingDrain drain(header_, {.words_per_tick = 0, .burst = 1, .overrun_per_tick = 0}, slabs_);
  ASSERT_TRUE(write_free(1));
  EXPECT_GT(drain.drain(kSoon, false), 0u);
  std::thread([] {
    EXPECT_TRUE(write_free(2));
    writer.leave();
  }).join();
  ASSERT_EQ(header_->heads[1].state, ring::Head::State::left);
  ASSERT_TRUE(write_free(3));
  EXPECT_EQ(drain.drain(kSoon, false), 2u) << "the time and the free of the thread that left";
  EXPECT_EQ(header_->heads[1].state, ring::Head::State::unused);
}

TEST_F(RingsTest, ARecordThatIsNotWholeIsNotRead) {
  ASSERT_TRUE(write_free(1));
  EXPECT_EQ(read(), std::vector<uint64_t>{1});
  ASSERT_TRUE(writer.begin());
  writer.put(event(Kind::free, 2));
  EXPECT_TRUE(read().empty());
  writer.end();
  EXPECT_EQ(read(), std::vector<uint64_t>{2});
}

TEST_F(RingsTest, WhatFindsNoRoomIsCountedAndWhatFoundItIsWhole) {
  uint64_t written = 0;
  uint64_t refused = 0;
  for (uint64_t address = 1; address <= 2 * kRingWords; ++address)
    ++(write_free(address) ? written : refused);
  EXPECT_GT(refused, 0u);
  EXPECT_EQ(drain_.lost(), refused);
  EXPECT_EQ(read().size(), written);
  EXPECT_TRUE(write_free(1)) << "there is room again";
}

TEST_F(RingsTest, LongRecordsAndShortOnesShareARing) {
  for (uint64_t round = 1; round <= 30; ++round) {
    std::vector<Word> chain(ring::kMostRecord - 1, round + 1);
    ASSERT_TRUE(writer.begin());
    writer.put(event(Kind::context, 7 | Word{chain.size()} << 16), chain.data(), chain.size());
    writer.end();
    ASSERT_TRUE(write_free(round));
    ASSERT_EQ(read(), std::vector<uint64_t>{round});
    ASSERT_EQ(contexts_.size(), round);
    EXPECT_EQ(contexts_.back().size(), 1 + chain.size());
    EXPECT_EQ(contexts_.back().back(), round) << "inside of the call";
  }
}

TEST_F(RingsTest, ThreadsThatHaveEndedAreReadToTheEndAndTheirRingsServeOthers) {
  for (uint64_t thread = 1; thread <= 3; ++thread) {
    std::thread([=] { ASSERT_TRUE(write_free(thread)); }).join();
    EXPECT_EQ(read(), std::vector<uint64_t>{thread});
    EXPECT_EQ(header_->heads[0].state, ring::Head::State::unused);
  }
  EXPECT_EQ(header_->threads, 3u);
}

TEST_F(RingsTest, OfTwoThreadsTheEarlierRecordIsReadFirst) {
  ASSERT_TRUE(write_free(1));
  std::thread([] { ASSERT_TRUE(write_free(2)); }).join();
  ASSERT_TRUE(write_free(3));
  EXPECT_EQ(read(true), (std::vector<uint64_t>{1, 2, 3}));
}

TEST_F(RingsTest, WhatManyThreadsLeftIsReadInItsOrder) {
  constexpr uint64_t kThreads = 3000;
  std::vector<uint64_t> expected;
  ASSERT_TRUE(write_free(0));
  for (uint64_t thread = 1; thread <= kThreads; ++thread) {
    std::thread([=] { ASSERT_TRUE(write_free(thread)); }).join();
    expected.push_back(thread);
    if (thread % 7 == 0) { // one that goes on, in between
      ASSERT_TRUE(write_free(thread + kThreads));
      expected.push_back(thread + kThreads);
    }
    drain_.drain(kSoon, false);
  }
  expected.insert(expected.begin(), 0);
  EXPECT_EQ(read(true), expected);
}

TEST_F(RingsTest, WordsThatMakeNoSenseAreCountedAndPassedOver) {
  ASSERT_TRUE(write_free(1));
  ASSERT_TRUE(writer.begin());
  writer.put(ring::kEventBit | Word{31} << ring::kKindShift);
  writer.end();
  EXPECT_EQ(read(), std::vector<uint64_t>{1});
  EXPECT_EQ(reader_.damaged(), 1u);
  ASSERT_TRUE(write_free(2));
  EXPECT_EQ(read(), std::vector<uint64_t>{2}) << "what comes after is read";
}

TEST_F(RingsTest, OfMoreThanTheBudgetTheRestStaysInTheRingAndWhatComesThenIsDropped) {
  RingDrain drain(header_, {.words_per_tick = 0.001, .burst = 100, .overrun_per_tick = 0.001},
                  slabs_);
  const auto drain_after = [&](uint64_t ticks) { return drain.drain(kSoon + ticks, false); };
  while (write_free(1)) {
  }
  const size_t first = drain_after(0);
  EXPECT_GT(first, kRingWords / 2) << "what there is room for is taken in one piece";
  while (write_free(1)) {
  }
  const uint64_t lost = drain.lost();
  EXPECT_EQ(drain_after(1), 0u);
  EXPECT_FALSE(write_free(1));
  EXPECT_EQ(drain.lost(), lost + 1);
  EXPECT_GT(drain_after(1'000'000'000), 0u);
  EXPECT_TRUE(write_free(1));
  EXPECT_EQ(drain.lost(), lost + 1);
}

TEST_F(RingsTest, AThreadThatFoundNoRoomDropsAtOnceUntilTheNextTick) {
  while (write_free(1)) {
  }
  EXPECT_TRUE(writer.is_throttled());
  header_->heads[0].free = 2; // which it does not see before
  EXPECT_FALSE(write_free(2));
  EXPECT_EQ(drain_.lost(), 2u);
  ++header_->tick;
  EXPECT_FALSE(writer.is_throttled());
  EXPECT_TRUE(write_free(3));
  EXPECT_EQ(drain_.lost(), 2u);
}

TEST_F(RingsTest, WhatIsDroppedAtOnceIsCountedInTheEnd) {
  EXPECT_FALSE(writer.drops()) << "there may be room";
  while (write_free(1)) {
  }
  ASSERT_EQ(drain_.lost(), 1u);
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(writer.put_ready(event(Kind::free, 2)) || writer.drops());
  }
  EXPECT_GE(drain_.lost(), 101u);
  header_->heads[0].free = 2;
  ++header_->tick;
  while (writer.drops_one()) {
  }
  EXPECT_FALSE(writer.drops()) << "it is time to look for room";
  EXPECT_EQ((drain_.lost() - 1) % 64, 0u);
  EXPECT_TRUE(write_free(3));

  while (write_free(1)) {
  }
  const uint64_t before = drain_.lost();
  EXPECT_TRUE(writer.drops());
  header_->heads[0].free = 4;
  ++header_->tick;
  EXPECT_TRUE(write_free(4)) << "the slow path finds room immediately";
  EXPECT_EQ(drain_.lost(), before + 1);
  EXPECT_FALSE(writer.drops_one());
}

TEST_F(RingsTest, WhatIsWrittenAtOnceIsAfterAllThatItIsSaidToComeAfter) {
  // Both threads have looked at the clock lately. Then the first takes something over from the other.
  ASSERT_TRUE(write_free(1));
  std::thread other([] { ASSERT_TRUE(write_free(2)); });
  other.join();
  EXPECT_TRUE(writer.put_ready(event(Kind::free, 3))); // it has the time of the one before, 1
  writer.order();
  EXPECT_FALSE(writer.put_ready(event(Kind::free, 4)));
  ASSERT_TRUE(write_free(4));
  EXPECT_TRUE(writer.put_ready(event(Kind::free, 5)));
  EXPECT_EQ(read(true), (std::vector<uint64_t>{1, 3, 2, 4, 5}));
}

TEST_F(RingsTest, WhatIsOrderedHasTheTimeAndSaysIt) {
  std::atomic<uint64_t> until{0};
  writer.say_time_at(&until);
  ASSERT_TRUE(write_free(1));
  const uint64_t before = writer.time();
  EXPECT_EQ(until, before);
  std::thread other([] { ASSERT_TRUE(write_free(2)); });
  other.join();
  ASSERT_TRUE(writer.put_ordered(event(Kind::free, 3)));
  EXPECT_GT(writer.time(), before);
  EXPECT_EQ(until, writer.time());
  until = kSoon; // who had the place before may still be writing there: the later one counts
  ASSERT_TRUE(writer.put_ordered(event(Kind::free, 4)));
  EXPECT_EQ(until, kSoon);
  EXPECT_EQ(read(true), (std::vector<uint64_t>{1, 2, 3, 4}));
}

TEST_F(RingsTest, WhatIsFoundIsWrittenUnlessTheClockIsToBeLookedAtMeanwhile) {
  ASSERT_TRUE(write_free(1));
  EXPECT_FALSE(writer.put_found([] { return Word{0}; }));
  EXPECT_TRUE(writer.put_found([] { return event(Kind::free, 2); }));
  EXPECT_FALSE(writer.put_found([] {
    ring::make_all_read_clock();
    return event(Kind::free, 3);
  }));
  EXPECT_EQ(read(true), (std::vector<uint64_t>{1, 2}));
}

TEST_F(RingsTest, WhoeverFindsARingEmptyHasItsThreadLookAtTheClock) {
  ASSERT_TRUE(write_free(1));
  ASSERT_TRUE(writer.put_ready(event(Kind::free, 2)));
  EXPECT_EQ(read(), (std::vector<uint64_t>{1, 2}));
  EXPECT_FALSE(writer.put_ready(event(Kind::free, 3)));
  ASSERT_TRUE(write_free(3));
  EXPECT_TRUE(writer.put_ready(event(Kind::free, 4)));
  ring::make_all_read_clock();
  EXPECT_FALSE(writer.put_ready(event(Kind::free, 5)));
  EXPECT_EQ(read(true), (std::vector<uint64_t>{3, 4}));
}

TEST_F(RingsTest, TheBirthOfASmallBlockSaysInAWordWhatTheLongerWaySays) {
  ring::drop_anchor(0x7f0012345678);
  ring::drop_anchor(0x1000); // the first one counts
  const uint64_t anchor = header_->anchor;
  const uint64_t offset = ring::small_offset;
  EXPECT_LT(0x7f0012345678 - anchor, ring::SmallBirth::kReach);
  const uint64_t nearest = anchor, furthest = anchor + ring::SmallBirth::kReach - 8;
  for (const uint64_t address : {nearest, furthest, anchor + 0x123456778}) {
    ASSERT_TRUE(writer.begin());
    writer.put(ring::SmallBirth::word_of(address, offset, 1023, 65535));
    writer.end();
    ASSERT_TRUE(writer.begin());
    const ring::Birth longer{65535, address, 1023, 0};
    writer.put(longer.first(Kind::allocate), longer.second());
    writer.end();
  }
  read(true);
  ASSERT_EQ(born_.size(), 6u);
  for (size_t i = 0; i < born_.size(); i += 2) EXPECT_EQ(born_[i], born_[i + 1]);
  for (const uint64_t address : {nearest - 8, furthest + 8, uint64_t{8}})
    EXPECT_EQ(ring::SmallBirth::word_of(address, offset, 1023, 65535), 0u);
  EXPECT_EQ(ring::SmallBirth::word_of(nearest, offset, 1024, 65535), 0u);
  EXPECT_EQ(ring::SmallBirth::word_of(nearest, ring::SmallBirth::kNowhere, 8, 1), 0u);
  EXPECT_EQ(born_[0], (std::array<uint64_t, 3>{nearest, 1023, 65535 * 4}));
}

TEST_F(RingsTest, WhatASignalHandlerWritesDoesNotMixWithTheRecordItCameBetween) {
  static std::atomic<bool> is_inside;
  struct sigaction action {};
  action.sa_handler = [](int) {
    is_inside = true;
    write_free(1);
  };
  ASSERT_EQ(sigaction(SIGALRM, &action, nullptr), 0);
  const itimerval often{{0, 50}, {0, 50}};
  ASSERT_EQ(setitimer(ITIMER_REAL, &often, nullptr), 0);
  std::vector<uint64_t> own, read_back;
  for (uint64_t address = 2; address < 2'000'000; ++address) {
    while (!writer.put_ready(event(Kind::free, address)) && !write_free(address)) {
    }
    if (address % 1000 != 0) continue;
    for (const uint64_t freed : read()) read_back.push_back(freed);
  }
  const itimerval never{};
  setitimer(ITIMER_REAL, &never, nullptr);
  for (const uint64_t freed : read(true)) read_back.push_back(freed);
  EXPECT_TRUE(is_inside);
  std::erase(read_back, 1);
  ASSERT_EQ(read_back.size(), 1'999'998u);
  EXPECT_TRUE(std::is_sorted(read_back.begin(), read_back.end()));
  EXPECT_EQ(reader_.damaged(), 0u);
}

} // namespace
} // namespace abut::record
