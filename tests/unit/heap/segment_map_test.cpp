// Each test has a map of its own, beside the heap's. Both look for room in one range of addresses: to either,
// the other's segments are somebody else's.
#include "heap/segment_map.hpp"

#include "helpers/heap_calls.hpp"
#include "helpers/residency.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <vector>

namespace abut::heap {
namespace {

class SegmentMapTest : public testing::Test {
protected:
  Address map_pages() {
    return address_of(
        map->map(kSegmentBytes, kSegmentBytes, kSegmentBytes, SegmentKind::size_pages));
  }
  void unmap_pages(Address segment) {
    map->unmap(reinterpret_cast<void *>(segment), kSegmentBytes, kSegmentBytes);
  }

  std::unique_ptr<SegmentMap> map = std::make_unique<SegmentMap>();
};

TEST_F(SegmentMapTest, KnowsNothingAtFirst) {
  int local = 0;
  static int global = 0;
  for (Address address : {Address{0}, Address{4096}, address_of(&local), address_of(&global),
                          address_of(map.get()), ~Address{0}})
    EXPECT_EQ(map->kind_at(address), SegmentKind::none) << address;
}

TEST_F(SegmentMapTest, KnowsEveryByteOfASegmentAndNoneBeside) {
  const Address segment = map_pages();
  ASSERT_NE(segment, 0U);
  EXPECT_EQ(segment % kSegmentBytes, 0U);
  EXPECT_EQ(map->kind_at(segment), SegmentKind::size_pages);
  EXPECT_EQ(map->kind_at(segment + kSegmentBytes - 1), SegmentKind::size_pages);
  EXPECT_NE(map->kind_at(segment + kSegmentBytes), SegmentKind::size_pages);
  EXPECT_NE(map->kind_at(segment - 1), SegmentKind::size_pages);
  for (Address address : {Address{0}, address_of(&segment), ~Address{0}})
    EXPECT_EQ(map->kind_at(address), SegmentKind::none);
  unmap_pages(segment);
  EXPECT_EQ(map->kind_at(segment), SegmentKind::none);
  EXPECT_FALSE(test::is_mapped(reinterpret_cast<void *>(segment)));
}

TEST_F(SegmentMapTest, TellsTheFirstSlotOfAHugeMappingFromTheOthers) {
  constexpr size_t kBytes = 2 * kSegmentBytes + kPageBytes;
  void *memory = map->map(kBytes, kBytes, kSegmentBytes, SegmentKind::huge);
  ASSERT_NE(memory, nullptr);
  const Address begin = address_of(memory);
  EXPECT_EQ(map->kind_at(begin), SegmentKind::huge);
  EXPECT_EQ(map->kind_at(begin + kSegmentBytes), SegmentKind::tail);
  EXPECT_EQ(map->kind_at(begin + 3 * kSegmentBytes - 1), SegmentKind::tail);
  map->unmap(memory, kBytes, kBytes);
  for (unsigned slot = 0; slot < 3; ++slot)
    EXPECT_EQ(map->kind_at(begin + slot * kSegmentBytes), SegmentKind::none);
}

TEST_F(SegmentMapTest, LaysSegmentsSideBySideAndFillsGaps) {
  std::vector<Address> segments;
  for (int i = 0; i < 8; ++i) segments.push_back(map_pages());
  int neighbours = 0;
  for (int i = 1; i < 8; ++i) neighbours += segments[i] == segments[i - 1] + kSegmentBytes;
  EXPECT_GE(neighbours, 6) << "at most the rest of this process may be in the way";
  unmap_pages(segments[3]);
  EXPECT_EQ(map_pages(), segments[3]) << "the range stays dense";
  for (Address segment : segments) unmap_pages(segment);
}

TEST_F(SegmentMapTest, PassesOverSlotsThatSomebodyElseHas) {
  const Address first = map_pages();
  unmap_pages(first);
  auto *taken = reinterpret_cast<char *>(first);
  ASSERT_EQ(os::map_at(taken, kPageBytes), os::Mapped::done);
  *taken = 'x';
  const Address second = map_pages();
  ASSERT_NE(second, 0U);
  EXPECT_NE(second, first);
  EXPECT_EQ(*taken, 'x') << "what was there must stay";
  EXPECT_EQ(map->kind_at(first), SegmentKind::foreign);
  EXPECT_EQ(map->kind_at(second), SegmentKind::size_pages);
  unmap_pages(second);
  os::unmap(taken, kPageBytes);
}

TEST_F(SegmentMapTest, PassesOverAMappingThatBeginsInsideALongRun) {
  constexpr size_t kFree = 2 * kSegmentBytes; // of addresses that nobody else has
  void *first = map->map(kFree, kFree, kSegmentBytes, SegmentKind::huge);
  map->unmap(first, kFree, kFree);
  const Address inside = address_of(first) + kSegmentBytes + 5 * kPageBytes;
  void *taken = reinterpret_cast<void *>(inside);
  ASSERT_EQ(os::map_at(taken, kPageBytes), os::Mapped::done);
  constexpr size_t kBytes = 4 * kSegmentBytes;
  void *memory = map->map(kBytes, kBytes, kSegmentBytes, SegmentKind::huge);
  ASSERT_NE(memory, nullptr);
  const Address begin = address_of(memory);
  EXPECT_TRUE(begin + kBytes <= inside || begin > inside);
  EXPECT_TRUE(test::is_mapped(taken));
  map->unmap(memory, kBytes, kBytes);
  os::unmap(taken, kPageBytes);
}

TEST_F(SegmentMapTest, KeepsEveryAlignment) {
  for (size_t align = kSegmentBytes; align <= GiB; align *= 2) {
    void *memory = map->map(kPageBytes, kSegmentBytes, align, SegmentKind::huge);
    ASSERT_NE(memory, nullptr) << align;
    EXPECT_EQ(address_of(memory) % align, 0U);
    map->unmap(memory, kPageBytes, kSegmentBytes);
  }
}

TEST_F(SegmentMapTest, KeepsReservedAddressesFree) {
  constexpr size_t kReserve = 5 * kSegmentBytes;
  // Where no segment of the heap can be in the way.
  void *free = os::map(16 * kSegmentBytes);
  os::unmap(free, 16 * kSegmentBytes);
  map->begin_at(round_up(address_of(free), kSegmentBytes));
  void *memory = map->map(kPageBytes, kReserve, kSegmentBytes, SegmentKind::huge);
  ASSERT_NE(memory, nullptr);
  std::vector<Address> others;
  for (int i = 0; i < 8; ++i) {
    others.push_back(map_pages());
    EXPECT_TRUE(others.back() < address_of(memory) ||
                others.back() >= address_of(memory) + kReserve);
  }
  ASSERT_TRUE(os::resize_mapping(memory, kPageBytes, kReserve)) << "there is room to grow into";
  map->unmap(memory, kReserve, kReserve);
  for (Address other : others) unmap_pages(other);
}

TEST_F(SegmentMapTest, HoldsTheAddressesOfWhatItClaims) {
  const Address before = map_pages();
  constexpr size_t kReserve = 3 * kSegmentBytes;
  void *claimed = map->claim(kSegmentBytes, kReserve, SegmentKind::huge);
  ASSERT_NE(claimed, nullptr);
  EXPECT_EQ(os::map_at(claimed, kPageBytes), os::Mapped::occupied);
  EXPECT_FALSE(os::is_readable(claimed));
  EXPECT_EQ(map->kind_at(address_of(claimed)), SegmentKind::huge);
  EXPECT_EQ(map->kind_at(address_of(claimed) + kReserve - 1), SegmentKind::tail);
  map->release_claim(claimed, kSegmentBytes, kReserve);
  EXPECT_FALSE(test::is_mapped(claimed));
  EXPECT_EQ(map->kind_at(address_of(claimed)), SegmentKind::none);
  EXPECT_EQ(map->kind_at(address_of(claimed) + kReserve - 1), SegmentKind::none);
  unmap_pages(before);
}

TEST_F(SegmentMapTest, ExtendsIntoFreeSlotsOnly) {
  void *memory = map->map(kPageBytes, kPageBytes, kSegmentBytes, SegmentKind::huge);
  ASSERT_NE(memory, nullptr);
  EXPECT_TRUE(map->extend(memory, kPageBytes, kSegmentBytes)) << "the same slot";
  EXPECT_EQ(map->kind_at(address_of(memory) + kSegmentBytes), SegmentKind::none);
  EXPECT_TRUE(map->extend(memory, kSegmentBytes, 3 * kSegmentBytes));
  EXPECT_EQ(map->kind_at(address_of(memory) + 3 * kSegmentBytes - 1), SegmentKind::tail);
  EXPECT_EQ(map->first_of(address_of(memory) + 2 * kSegmentBytes + 5), address_of(memory));
  const Address next = map_pages();
  EXPECT_TRUE(next < address_of(memory) || next >= address_of(memory) + 3 * kSegmentBytes);
  if (next == address_of(memory) + 3 * kSegmentBytes) {
    EXPECT_FALSE(map->extend(memory, 3 * kSegmentBytes, 4 * kSegmentBytes));
    EXPECT_EQ(map->kind_at(next), SegmentKind::size_pages);
  }
  unmap_pages(next);
  map->unmap(memory, kPageBytes, 3 * kSegmentBytes);
}

TEST_F(SegmentMapTest, CountsWhatIsMapped) {
  EXPECT_EQ(map->mapped_bytes(), 0U);
  const Address segment = map_pages();
  void *huge = map->map(3 * kPageBytes, 2 * kSegmentBytes, kSegmentBytes, SegmentKind::huge);
  EXPECT_EQ(map->mapped_bytes(), kSegmentBytes + 3 * kPageBytes);
  map->count_mapped(2 * kPageBytes);
  map->count_mapped(-static_cast<ptrdiff_t>(kPageBytes));
  EXPECT_EQ(map->mapped_bytes(), kSegmentBytes + 4 * kPageBytes);
  map->count_mapped(-static_cast<ptrdiff_t>(kPageBytes));
  map->unmap(huge, 3 * kPageBytes, 2 * kSegmentBytes);
  unmap_pages(segment);
  EXPECT_EQ(map->mapped_bytes(), 0U);
}

TEST_F(SegmentMapTest, GivesNullForMoreThanTheRangeHolds) {
  constexpr size_t kRange = SegmentMap::kSlots * kSegmentBytes;
  EXPECT_EQ(map->map(kPageBytes, kRange + kSegmentBytes, kSegmentBytes, SegmentKind::huge),
            nullptr);
  EXPECT_EQ(map->claim_slots(kRange + kSegmentBytes, SegmentKind::huge), nullptr);
  EXPECT_EQ(map->mapped_bytes(), 0U);
  const Address segment = map_pages();
  EXPECT_NE(segment, 0U) << "a refusal must leave the map as it was";
  unmap_pages(segment);
}

TEST_F(SegmentMapTest, KeepsMappingsApartThroughRandomChanges) {
  struct Mapping {
    Address begin;
    size_t bytes;
    size_t reserve;
  };
  support::Random random(4);
  std::vector<Mapping> mappings;
  for (int step = 0; step < 2000; ++step) {
    if (mappings.size() < 40 && random.below(2) != 0) {
      const size_t reserve = random.size_up_to(20) * kSegmentBytes;
      const size_t bytes = round_up(random.below(reserve) + 1, kPageBytes);
      const size_t align = kSegmentBytes << random.below(4);
      void *memory = map->map(bytes, reserve, align, SegmentKind::huge);
      ASSERT_NE(memory, nullptr);
      const Address begin = address_of(memory);
      ASSERT_EQ(begin % align, 0U);
      for (const Mapping &other : mappings)
        ASSERT_TRUE(begin + reserve <= other.begin || begin >= other.begin + other.reserve);
      mappings.push_back({begin, bytes, reserve});
    } else if (!mappings.empty()) {
      const size_t index = random.below(mappings.size());
      const Mapping gone = mappings[index];
      ASSERT_EQ(map->kind_at(gone.begin), SegmentKind::huge);
      map->unmap(reinterpret_cast<void *>(gone.begin), gone.bytes, gone.reserve);
      for (size_t offset = 0; offset < gone.reserve; offset += kSegmentBytes)
        ASSERT_EQ(map->kind_at(gone.begin + offset), SegmentKind::none);
      mappings.erase(mappings.begin() + static_cast<ptrdiff_t>(index));
    }
  }
  for (const Mapping &rest : mappings)
    map->unmap(reinterpret_cast<void *>(rest.begin), rest.bytes, rest.reserve);
  EXPECT_EQ(map->mapped_bytes(), 0U);
}

} // namespace
} // namespace abut::heap
