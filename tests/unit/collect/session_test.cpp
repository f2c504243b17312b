#include "collect/session/session.hpp"

#include "collect/raw_stream.h"
#include "trace/batches.hpp"
#include "trace/reader.hpp"

#include <cstdio>
#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>

namespace abut::record {
namespace {

class SessionTest : public testing::Test {
protected:
  SessionTest()
      : session_(trace::Writer::open(path_, {}, {.overwrite = trace::Overwrite::yes}).take(), {},
                 {0, 0}, [](uint32_t) {}) {}
  ~SessionTest() override { std::filesystem::remove(path_); }

  void read(const std::vector<uint64_t> &words) { session_.read(words); }
  uint64_t accesses() { return session_.writer().totals().accesses; }

  static uint64_t event(unsigned kind, uint64_t small, unsigned count) {
    return abut_raw_event(kind, small, count);
  }
  // Block 1, with a read of 8 bytes and a write of 4.
  void define_block() { read({event(ABUT_RAW_BLOCK, 2, 3), 1, 8 << 1, 4 << 1 | 1}); }
  void allocate(uint64_t address, uint64_t bytes) {
    read({event(ABUT_RAW_ALLOCATE, 0, 4), 0, address, bytes, 0});
  }

  std::string path_ = testing::TempDir() + "session_test." + std::to_string(getpid());
  Session session_;
};

TEST_F(SessionTest, OnlyAccessesToObjectsAreOfInterest) {
  define_block();
  allocate(0x1000, 16);
  read({1 << 16 | 2, 0x1000, 0x5000});
  EXPECT_EQ(accesses(), 1u);
}

TEST_F(SessionTest, AnAccessThatDidNotTakePlaceIsNone) {
  define_block();
  allocate(0x1000, 16);
  read({1 << 16 | 2, 0, 0x1008});
  EXPECT_EQ(accesses(), 1u);
}

TEST_F(SessionTest, OfTheAllocatorEveryAccessIsOfInterestButThoseToTheStack) {
  define_block();
  read({event(ABUT_RAW_STACK, 1, 2), 0x7000, 0x8000, event(ABUT_RAW_ENTER, 0, 0)});
  read({1 << 16 | 2, 0x5000, 0x7008, event(ABUT_RAW_LEAVE, 0, 0), 1 << 16 | 1, 0x5000});
  EXPECT_EQ(accesses(), 1u);
}

TEST_F(SessionTest, SourcesAreCountedInAccessesThatAreRecorded) {
  define_block();
  allocate(0x1000, 16);
  const auto from = [](uint64_t source) { return source << ABUT_RAW_ADDRESS_BITS; };
  read({1 << 16 | 2, 0x1000, 0x5000 | from(1)}); // the second is no access to an object
  // Three words before 0x1008 is 0x1000, three before that is 0x5000; seven before the next is 0x1008.
  read({1 << 16 | 2, 0x1008 | from(4), 0x1000 | from(4)});
  read({event(ABUT_RAW_FREE, 0, 3), 0, 0x5000, 0, 1 << 16 | 1, 0x1000 | from(8)});
  read({1 << 16 | 1, 0x1000 | from(255)});
  ASSERT_FALSE(session_.writer().finish(0));
  auto reader = trace::Reader::open(path_).take();
  std::vector<int> sources;
  for (trace::Batches batches(reader); batches.next();)
    sources.insert(sources.end(), batches.sources().begin(), batches.sources().end());
  EXPECT_EQ(sources, (std::vector<int>{0, 2, 1, 3, 1}));
}

TEST_F(SessionTest, FreesOfNothingAreCounted) {
  allocate(0x1000, 16);
  read({event(ABUT_RAW_FREE, 0, 3), 0, 0x1008, 0, event(ABUT_RAW_FREE, 0, 3), 0, 0x1000, 0});
  EXPECT_EQ(session_.writer().totals().unmatched_frees, 1u);
  EXPECT_EQ(session_.writer().totals().frees, 1u);
}

TEST_F(SessionTest, InstructionsAddUp) {
  read({event(ABUT_RAW_INSTRUCTIONS, 0, 1), 1000, event(ABUT_RAW_INSTRUCTIONS, 0, 1), 1ull << 40});
  EXPECT_EQ(session_.writer().totals().instructions, (1ull << 40) + 1000);
}

TEST_F(SessionTest, ABlockThatIsHandedOutTwiceWasFreedInBetween) {
  allocate(0x1000, 16);
  allocate(0x1000, 32);
  EXPECT_EQ(session_.missed_frees(), 1u);
  EXPECT_EQ(session_.snapshot().size(), 1u);
}

TEST_F(SessionTest, AResizedBlockStaysTheSameObject) {
  allocate(0x1000, 16);
  read({event(ABUT_RAW_RESIZE, 0, 2), 0, 0x1000});
  read({event(ABUT_RAW_RESIZED, 0, 4), 0, 0x9000, 64, 0});
  ASSERT_EQ(session_.snapshot().size(), 1u);
  EXPECT_EQ(session_.snapshot()[0].address, 0x9000u);
  EXPECT_EQ(session_.snapshot()[0].number, 1u);
}

TEST_F(SessionTest, ABlockThatIsResizedWhereAnotherLayEndsThatOne) {
  allocate(0x1000, 16);
  allocate(0x9000, 32); // whose free was dropped
  read({event(ABUT_RAW_RESIZE, 0, 2), 0, 0x1000});
  read({event(ABUT_RAW_RESIZED, 0, 4), 0, 0x9000, 64, 0});
  EXPECT_EQ(session_.missed_frees(), 1u);
  ASSERT_EQ(session_.snapshot().size(), 1u);
  EXPECT_EQ(session_.snapshot()[0].number, 1u);
}

TEST_F(SessionTest, ABlockThatIsFreedWhileItIsResizedIsAnotherOneThen) {
  allocate(0x1000, 16);
  read({event(ABUT_RAW_RESIZE, 0, 2), 0, 0x1000});
  read({event(ABUT_RAW_FREE, 0, 3), 0, 0x1000, 0});
  allocate(0x2000, 16);
  read({event(ABUT_RAW_RESIZED, 0, 4), 0, 0x9000, 64, 0});
  ASSERT_EQ(session_.snapshot().size(), 2u);
  EXPECT_EQ(session_.snapshot()[0].address, 0x2000u);
  EXPECT_EQ(session_.snapshot()[1].address, 0x9000u);
}

TEST_F(SessionTest, ABlockWhoseResizeFailedStaysAsItWas) {
  allocate(0x1000, 16);
  read({event(ABUT_RAW_RESIZE, 0, 2), 0, 0x1000});
  read({event(ABUT_RAW_RESIZED, 1, 4), 0, 0, 1 << 20, 0});
  ASSERT_EQ(session_.snapshot().size(), 1u);
  EXPECT_EQ(session_.snapshot()[0].bytes, 16u);
}

TEST_F(SessionTest, ACallOfTheKernelMayNameMoreBytesThanThereAre) {
  allocate(0x1000, 16);
  read({event(ABUT_RAW_KERNEL, 0, 2), 0x1008, ~0ull});
  read({event(ABUT_RAW_KERNEL, 1, 2), ~0ull - 8, 64});
  EXPECT_EQ(session_.writer().totals().accesses, 1u);
}

TEST_F(SessionTest, AThreadsNumberMayBeBeyondAMillion) {
  for (uint64_t thread = 1; thread < 3'000'000; thread += 100'000) {
    read({event(ABUT_RAW_THREAD, thread, 0)});
    allocate(thread * 0x100, 16);
  }
  EXPECT_EQ(session_.snapshot().size(), 30u);
}

TEST_F(SessionTest, AStreamThatMakesNoSenseIsRefused) {
  EXPECT_THROW(read({1 << 16 | 1, 0x1000}), BadStream) << "a block that was not defined";
  EXPECT_THROW(read({event(ABUT_RAW_FREE, 0, 3), 0}), BadStream) << "a record that is cut off";
  EXPECT_THROW(read({event(ABUT_RAW_FREE, 0, 1), 0}), BadStream) << "a record that is too short";
  EXPECT_THROW(read({event(99, 0, 0)}), BadStream) << "an unknown event";
  EXPECT_THROW(read({event(ABUT_RAW_MODULE, 1000, 3), 0, 0, 0}), BadStream) << "a path too long";
  EXPECT_THROW(read({event(ABUT_RAW_THREAD, 1ull << 39, 0)}), BadStream) << "a thread too many";
  EXPECT_THROW(read({event(ABUT_RAW_BLOCK, 0, 1), ~0ull}), BadStream) << "a block too many";
  EXPECT_THROW(read({event(ABUT_RAW_CONTEXT, 0, 2), ~0ull, 0}), BadStream) << "a context too many";
}

} // namespace
} // namespace abut::record
