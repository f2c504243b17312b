// The ring of pointers between two threads.
#include "allocators/offload/ring.hpp"

#include <gtest/gtest.h>
#include <thread>

namespace abut::offload {
namespace {

TEST(Ring, HandsEverythingOverInOrder) {
  Ring<64> ring;
  constexpr uintptr_t kItems = 100'000;
  std::thread producer([&] {
    for (uintptr_t i = 1; i <= kItems; ++i)
      while (!ring.push(reinterpret_cast<void *>(i))) std::this_thread::yield();
  });
  for (uintptr_t i = 1; i <= kItems; ++i) {
    void *item = nullptr;
    while ((item = ring.pop()) == nullptr) std::this_thread::yield();
    ASSERT_EQ(reinterpret_cast<uintptr_t>(item), i);
  }
  producer.join();
  EXPECT_EQ(ring.pop(), nullptr);
  while (ring.push(&ring)) EXPECT_LE(ring.size(), 64U);
  EXPECT_EQ(ring.size(), 64U) << "full after its slots";
}

} // namespace
} // namespace abut::offload
