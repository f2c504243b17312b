#include "heap/segment.hpp"

#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <set>

namespace abut::heap {
namespace {

class SegmentTest : public testing::Test {
protected:
  SegmentTest() : memory(std::aligned_alloc(kSegmentBytes, kSegmentBytes)) {
    std::memset(memory, 0, kSegmentBytes);
  }
  ~SegmentTest() override { std::free(memory); }

  Segment *segment() const { return static_cast<Segment *>(memory); }
  Address begin() const { return reinterpret_cast<Address>(memory); }

  void *memory;
};

TEST_F(SegmentTest, IsFoundFromEveryAddressInIt) {
  for (size_t offset : {size_t{0}, kPageBytes, kSegmentBytes / 2 + 5, kSegmentBytes - 1})
    EXPECT_EQ(Segment::of(begin() + offset), segment());
  EXPECT_NE(Segment::of(begin() + kSegmentBytes), segment());
  EXPECT_NE(Segment::of(begin() - 1), segment());
}

TEST_F(SegmentTest, HasALineOfItsOwnForEveryPage) {
  std::set<const void *> lines;
  for (unsigned page = 0; page < kPagesInSegment; ++page) {
    const Address address = segment()->page_address(page);
    const void *line = &segment()->line_at(address + kPageBytes - 1);
    EXPECT_EQ(line, &segment()->line_at(address));
    EXPECT_EQ(reinterpret_cast<Address>(line) % kLineBytes, 0U);
    EXPECT_TRUE(lines.insert(line).second) << "page " << page;
  }
}

TEST_F(SegmentTest, DescribesItselfWithinItsHeaderPages) {
  const Address header_end = begin() + Segment::kHeaderPages * kPageBytes;
  EXPECT_LE(reinterpret_cast<Address>(segment() + 1), header_end);
  EXPECT_EQ(segment()->page_address(Segment::kHeaderPages), header_end);
  EXPECT_EQ(Segment::kHeaderPages + Segment::kUsablePages, kPagesInSegment);
}

TEST_F(SegmentTest, FindsASpanFromEachOfItsUnits) {
  for (unsigned unit = 8; unit < 12; ++unit) segment()->spans[unit].first_unit = 8;
  for (unsigned unit = 8; unit < 12; ++unit)
    EXPECT_EQ(&segment()->span_at(begin() + unit * kUnitBytes + 17), &segment()->spans[8]);
  EXPECT_EQ(first_page(segment()->spans[8]), 8 * kPagesInUnit);
}

TEST_F(SegmentTest, KeepsATagForEveryUnit) {
  for (unsigned unit = 0; unit < kUnitsInSegment; ++unit) segment()->tags[unit].store(unit * 4 + 1);
  for (unsigned unit = 0; unit < kUnitsInSegment; ++unit) {
    EXPECT_EQ(segment()->tag_at(begin() + unit * kUnitBytes + kUnitBytes - 1), unit * 4 + 1);
    EXPECT_EQ(tier_of(segment()->tag_at(begin() + unit * kUnitBytes)), Tier::small);
  }
}

TEST_F(SegmentTest, KeepsAMediumSpansMapOnLinesOfItsOwnPages) {
  const unsigned unit = 4;
  SpanInfo &span = segment()->spans[unit];
  span.first_unit = unit;
  MediumMap &map = medium_map(segment(), span);
  map.add({0, 1});
  map.add({kMediumGranulesInSpan - 1, 1});
  for (unsigned page = 0; page < kPagesInSegment; ++page) {
    const bool inside =
        page / kPagesInUnit >= unit && page / kPagesInUnit < unit + kUnitsInMediumSpan;
    EXPECT_TRUE(inside || segment()->lines[page].empty()) << "page " << page;
  }
}

} // namespace
} // namespace abut::heap
