#include "collect/session/object_map.hpp"

#include <gtest/gtest.h>
#include <map>

namespace abut::record {
namespace {

TEST(ObjectMap, FindsTheObjectOfEachOfItsBytesAndOfNoOther) {
  ObjectMap map;
  const Handle handle = map.add(7, 0x10008, 5000);
  EXPECT_EQ(map.find(0x10008), handle);
  EXPECT_EQ(map.find(0x10008 + 4999), handle);
  EXPECT_EQ(map.find(0x10007), 0u);
  EXPECT_EQ(map.find(0x10008 + 5008), 0u);
  EXPECT_EQ(map[handle].number, 7u);
}

TEST(ObjectMap, AnObjectWithoutBytesHasItsAddress) {
  ObjectMap map;
  EXPECT_EQ(map.find_live(0x2000), 0u);
  const Handle handle = map.add(1, 0x2000, 0);
  EXPECT_EQ(map.find_live(0x2000), handle);
}

TEST(ObjectMap, DeadMemoryKeepsItsObjectUntilItIsAnothers) {
  ObjectMap map;
  const Handle old = map.add(1, 0x1000, 64);
  map.kill(old);
  EXPECT_EQ(map.find(0x1020), old);
  EXPECT_EQ(map.find_live(0x1000), 0u);
  const Handle fresh = map.add(2, 0x1000, 32);
  EXPECT_EQ(map.find(0x1000), fresh);
  EXPECT_EQ(map.find(0x1020), old);
  map.forget_dead(0x1000, 4096);
  EXPECT_EQ(map.find(0x1020), 0u);
  EXPECT_EQ(map.find(0x1000), fresh);
}

TEST(ObjectMap, HandlesAreUsedAgainOnceNothingRefersToThem) {
  ObjectMap map;
  const Handle first = map.add(1, 0x1000, 64);
  map.kill(first);
  map.add(2, 0x1000, 64); // takes all that the first one had
  EXPECT_EQ(map.add(3, 0x9000, 64), first);
}

TEST(ObjectMap, AMovedObjectIsFoundAtItsNewPlaceAlone) {
  ObjectMap map;
  const Handle handle = map.add(1, 0x1000, 100);
  map.move(handle, 0x40000000000, 1 << 20);
  EXPECT_EQ(map.find(0x1000), 0u);
  EXPECT_EQ(map.find(0x40000000000 + (1 << 20) - 1), handle);
}

TEST(ObjectMap, AMoveLeavesAloneWhatIsAnothersByThen) {
  ObjectMap map;
  const Handle handle = map.add(1, 0x1000, 64);
  const Handle other =
      map.add(2, 0x1000, 32); // the old place was handed out while the move went on
  map.move(handle, 0x8000, 64);
  EXPECT_EQ(map.find(0x1000), other);
  EXPECT_EQ(map.find(0x1020), 0u);
}

TEST(ObjectMap, AddressesBeyondUserSpaceAreNobodys) {
  ObjectMap map;
  const Handle handle = map.add(1, ~uint64_t{0} - 8, 64);
  EXPECT_EQ(map.find(~uint64_t{0} - 8), 0u);
  map.kill(handle);
  EXPECT_EQ(map.add(2, 0x1000, 8), handle);
}

TEST(ObjectMap, SkipsWhatIsEmptyWithoutPassingAnObject) {
  ObjectMap map;
  map.add(1, 0x7f0000012348, 8);
  uint64_t at = 0;
  int steps = 0;
  for (; map.find(at) == 0; ++steps) at = map.skip_empty(at);
  EXPECT_EQ(at, 0x7f0000012348u);
  EXPECT_LT(steps, 200000);
}

// Blocks of all sizes come and go in a small space; a plain map of granules says what must be found.
TEST(ObjectMap, AgreesWithAModelOverManyOperations) {
  ObjectMap map;
  std::map<uint64_t, uint64_t> model; // granule: number of the object
  std::map<uint64_t, Handle> live;    // address: handle
  uint64_t seed = 1;
  const auto random = [&](uint64_t below) {
    seed = seed * 6364136223846793005 + 1442695040888963407;
    return (seed >> 33) % below;
  };
  for (uint64_t number = 1; number < 4000; ++number) {
    const uint64_t address = 0x100000 + random(4096) * 8;
    const uint64_t bytes = random(8) == 0 ? random(20000) + 1 : random(200) + 1;
    if (const auto old = live.find(address); old != live.end()) {
      map.kill(old->second);
      live.erase(old);
    }
    live[address] = map.add(number, address, bytes);
    for (uint64_t at = address / 8; at <= (address + bytes - 1) / 8; ++at) model[at] = number;
    const uint64_t asked = 0x100000 + random(60000);
    const auto expected = model.find(asked / 8);
    ASSERT_EQ(map[map.find(asked)].number, expected == model.end() ? 0 : expected->second);
  }
}

} // namespace
} // namespace abut::record
