// Which references change the line: held against the plain rule, one reference after another.
#include "sim/plain/line_changes.hpp"

#include <gtest/gtest.h>
#include <random>

namespace abut::sim {
namespace {

constexpr unsigned kShift = 6;

struct MadeUp {
  std::vector<uint64_t> addresses;
  std::vector<uint32_t> sizes;
  std::vector<Kind> kinds;
  std::vector<Owner> owners;

  References all() const { return {addresses, sizes, kinds, {}, owners}; }
};

// References to a few lines near each other, so that many stay on their line; `straddling`: one of so many may straddle.
MadeUp made_up(size_t count, unsigned straddling, unsigned seed) {
  std::mt19937_64 random(seed);
  MadeUp run;
  for (size_t i = 0; i < count; ++i) {
    const bool wide = random() % straddling == 0;
    const uint64_t upper =
        random() % 50 == 0 ? random() << kAddressBits : 0; // bits that do not count
    run.addresses.push_back((0x10000 + (random() % 3 << kShift) + random() % 56) | upper);
    run.sizes.push_back(static_cast<uint32_t>(wide ? random() % 300 : random() % 9));
    run.kinds.push_back(static_cast<Kind>(random() % 8)); // of which two bits count
    run.owners.push_back(static_cast<Owner>(random() % 4));
  }
  return run;
}

struct Expected {
  std::vector<LineRequest> changes;
  std::array<uint64_t, kKinds> further{};
};

Expected changes_of(const References &references) {
  Expected expected;
  uint64_t last_line = ~uint64_t{0};
  bool last_wrote = false;
  for (size_t i = 0; i < references.count(); ++i) {
    const Reference one = references[i];
    const Extent extent = extent_of(one.address, one.size);
    const auto kind = static_cast<Kind>(one.kind % kKinds);
    const bool writes = (kind & kWrite) != 0;
    for (uint64_t line = extent.first >> kShift; line <= extent.last >> kShift; ++line) {
      if (line != extent.first >> kShift) ++expected.further[kind];
      if (line != last_line || (writes && !last_wrote))
        expected.changes.push_back({LineRequest::bits_of(line, kind), one.owner});
      last_line = line;
      last_wrote = writes;
    }
  }
  return expected;
}

void expect_changes(const MadeUp &run, bool owned) {
  References references = run.all();
  if (!owned) references.owners = {};
  const Expected expected = changes_of(references);
  LineChanges changes(kShift);
  std::array<uint64_t, kKinds> further{};
  changes.take(references, further);
  ASSERT_EQ(changes.count(), expected.changes.size());
  for (size_t i = 0; i < changes.count(); ++i) {
    ASSERT_EQ(changes.bits()[i], expected.changes[i].bits) << i;
    ASSERT_EQ(owned ? changes.owners()[i] : 0, owned ? expected.changes[i].owner : 0) << i;
  }
  EXPECT_EQ(changes.bits()[changes.count()], LineChanges::kNone);
  EXPECT_EQ(further, expected.further);
}

TEST(LineChanges, AreWhatGoesToAnotherLineOrWritesFirst) {
  for (unsigned seed = 0; seed < 60; ++seed)
    for (const unsigned straddling : {2, 40, 100000})
      for (const bool owned : {false, true})
        expect_changes(made_up(seed * 7, straddling, seed), owned);
}

TEST(LineChanges, HaveRoomForReferencesOfManyLines) {
  MadeUp run = made_up(40, 100000, 1);
  run.sizes[20] = kMostBytes + 1;
  run.addresses[30] = kAddressMask;
  run.sizes[30] = 100; // ends where addresses do
  expect_changes(run, true);
}

} // namespace
} // namespace abut::sim
