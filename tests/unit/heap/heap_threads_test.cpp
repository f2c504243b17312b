// Threads that hand blocks to each other, at random and all at once.
#include "heap/gauge.hpp"
#include "heap/heap.hpp"

#include "heap/statistics.hpp"
#include "helpers/heap_calls.hpp"
#include "helpers/option_setting.hpp"
#include "support/pattern.hpp"
#include "support/random.hpp"

#include <array>
#include <atomic>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace abut::heap {
namespace {

// What lies at the start of every block that is handed over.
struct Parcel {
  size_t bytes;
  uint64_t key;

  static size_t body(size_t bytes) { return bytes - sizeof(Parcel); }
};

Parcel *make_parcel(support::Random &random) {
  const uint64_t kind = random.below(64);
  const size_t most = kind == 0   ? 3 * MiB
                      : kind == 1 ? 100 * KiB
                      : kind < 8  ? kMediumMax
                                  : kSmallMax;
  const size_t bytes = sizeof(Parcel) + random.size_up_to(most);
  void *memory = random.below(8) == 0 ? allocate_aligned(64, bytes) : allocate(bytes);
  auto *parcel = new (memory) Parcel{bytes, random.next()};
  support::fill(parcel + 1, Parcel::body(bytes), parcel->key);
  return parcel;
}

bool intact(const Parcel *parcel) {
  return support::holds(parcel + 1, Parcel::body(parcel->bytes), parcel->key);
}

Parcel *resize_parcel(support::Random &random, Parcel *parcel) {
  const size_t bytes = sizeof(Parcel) + random.size_up_to(2 * kSmallMax);
  auto *resized = static_cast<Parcel *>(resize("realloc", parcel, bytes).memory);
  resized->bytes = bytes;
  support::fill(resized + 1, Parcel::body(bytes), resized->key);
  return resized;
}

class HeapThreads : public testing::Test {
protected:
  static constexpr size_t kSlots = 64;

  // Puts a parcel into a slot, takes out what another thread put there, looks at it, and frees or resizes it.
  void exchange(uint64_t seed, int steps) {
    support::Random random(seed);
    for (int step = 0; step < steps; ++step) {
      Parcel *mine = random.below(8) == 0 ? nullptr : make_parcel(random);
      Parcel *other = slots[random.below(kSlots)].exchange(mine, std::memory_order_acq_rel);
      if (other == nullptr) continue;
      wrong += !intact(other);
      if (random.below(4) == 0) {
        other = resize_parcel(random, other);
        wrong += !intact(other);
      }
      free(other);
    }
  }

  void empty_slots() {
    for (std::atomic<Parcel *> &slot : slots)
      if (Parcel *parcel = slot.exchange(nullptr)) {
        wrong += !intact(parcel);
        free(parcel);
      }
  }

  std::array<std::atomic<Parcel *>, kSlots> slots{};
  std::atomic<int> wrong{0};
};

TEST_F(HeapThreads, HandBlocksOverUndamaged) {
  const size_t live = count().live_bytes();
  std::vector<std::thread> threads;
  for (uint64_t seed = 1; seed <= 4; ++seed)
    threads.emplace_back([&, seed] { exchange(seed, 10000); });
  for (std::thread &thread : threads) thread.join();
  empty_slots();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(count().live_bytes(), live) << "something was lost on the way";
}

TEST_F(HeapThreads, HandBlocksOverWhilePagesGoBackAtOnce) {
  const test::OptionSetting retain(Option::retain_mb, 0);
  const test::OptionSetting decay(Option::decay_ms, 0);
  std::vector<std::thread> threads;
  for (uint64_t seed = 1; seed <= 3; ++seed)
    threads.emplace_back([&, seed] { exchange(seed, 5000); });
  for (int i = 0; i < 50; ++i) {
    trim();
    std::this_thread::yield();
  }
  for (std::thread &thread : threads) thread.join();
  empty_slots();
  EXPECT_EQ(wrong, 0);
}

TEST_F(HeapThreads, HandBlocksOverWhileThreadsComeAndGo) {
  std::vector<std::thread> threads;
  for (uint64_t seed = 1; seed <= 3; ++seed)
    threads.emplace_back([&, seed] {
      for (uint64_t life = 0; life < 40; ++life)
        std::thread([&] { exchange(seed * 1000 + life, 200); }).join();
    });
  for (std::thread &thread : threads) thread.join();
  empty_slots();
  EXPECT_EQ(wrong, 0);
}

// The owner of all blocks allocates without pause; others do nothing but free.
TEST_F(HeapThreads, OneMayAllocateWhatTheOthersFree) {
  const size_t taken = pages_taken.value();
  std::atomic<bool> stop{false};
  std::vector<std::thread> consumers;
  for (int i = 0; i < 2; ++i)
    consumers.emplace_back([&, i] {
      support::Random random(static_cast<uint64_t>(i));
      while (!stop)
        if (Parcel *parcel = slots[random.below(kSlots)].exchange(nullptr)) {
          wrong += !intact(parcel);
          free(parcel);
        }
    });
  support::Random random(99);
  for (int step = 0; step < 8000; ++step) {
    Parcel *parcel = make_parcel(random);
    Parcel *nothing = nullptr;
    while (!slots[random.below(kSlots)].compare_exchange_weak(nothing, parcel)) nothing = nullptr;
  }
  stop = true;
  for (std::thread &consumer : consumers) consumer.join();
  empty_slots();
  trim();
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(pages_taken.value(), taken + 8 * 2 * kBlockPageBytes / kPageBytes)
      << "what came back was not used again";
}

// Every second cell is freed by its owner, the others by another thread, so that both look at the same pages.
TEST_F(HeapThreads, ShareTheFreeingOfSmallBlocks) {
  constexpr size_t kEach = 20000;
  const size_t live = count().live_bytes();
  for (int round = 0; round < 5; ++round) {
    std::vector<uint64_t *> cells(2 * kEach);
    for (uint64_t *&cell : cells) {
      cell = static_cast<uint64_t *>(allocate(sizeof *cell));
      *cell = ~reinterpret_cast<Address>(cell);
    }
    const auto free_from = [&](size_t first) {
      for (size_t i = first; i < cells.size(); i += 2) {
        wrong += *cells[i] != ~reinterpret_cast<Address>(cells[i]);
        free(cells[i]);
      }
    };
    std::thread other([&] { free_from(1); });
    free_from(0);
    other.join();
  }
  EXPECT_EQ(wrong, 0);
  trim();
  EXPECT_EQ(count().live_bytes(), live);
}

TEST(HeapThreadsDeathTest, ABlockThatTwoThreadsFreeIsNoticed) {
  EXPECT_DEATH(
      {
        void *block = allocate(64);
        for (int i = 0; i < 2; ++i) std::thread([=] { free(block); }).join();
        trim(); // sorts what the others freed
      },
      "free\\(0x[0-9a-f]+\\): ");
}

} // namespace
} // namespace abut::heap
