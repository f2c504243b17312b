#include "trace/block.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace abut::trace {
namespace {

Bytes counting(size_t count) {
  Bytes bytes(count);
  std::iota(bytes.begin(), bytes.end(), uint8_t{0});
  return bytes;
}

ByteView payload_of(const Bytes &block) { return ByteView(block).subspan(kBlockHeadBytes); }

TEST(Block, gives_back_its_head_and_sections) {
  BlockBuilder builder(1);
  const Bytes compressible(10000, 7);
  builder.add(Section::symbols, compressible);
  builder.add(Section::table, counting(3));
  const Bytes block = builder.finish({BlockKind::chunk, 0, 10, 20, 30, 40, 50, 0});
  EXPECT_LT(block.size(), 500);

  BlockHead head;
  ASSERT_TRUE(get_head(block, head));
  EXPECT_EQ(head.kind, BlockKind::chunk);
  EXPECT_EQ(head.payload_bytes + kBlockHeadBytes, block.size());
  EXPECT_EQ(head.accesses, 10);
  EXPECT_EQ(head.events, 20);
  EXPECT_EQ(head.first_access, 30);
  EXPECT_EQ(head.first_event, 40);
  EXPECT_EQ(head.first_object, 50);
  EXPECT_EQ(head.payload_sum, checksum(payload_of(block)));

  BlockParser parser;
  Bytes bytes;
  ASSERT_TRUE(parser.begin(payload_of(block)));
  ASSERT_TRUE(parser.get(Section::symbols, 10000, 0, bytes));
  EXPECT_EQ(bytes, compressible);
  ASSERT_TRUE(parser.get(Section::table, 100, 2, bytes));
  ASSERT_EQ(bytes.size(), 5);
  EXPECT_TRUE(std::equal(bytes.begin(), bytes.begin() + 3, counting(3).begin()));
  ASSERT_TRUE(parser.get(Section::sites, 100, 0, bytes));
  EXPECT_TRUE(bytes.empty());
}

TEST(Block, refuses_a_section_that_is_longer_than_its_reader_allows) {
  BlockBuilder builder(1);
  builder.add(Section::symbols, Bytes(1000000, 7)); // a thousand times longer than it looks
  const Bytes block = builder.finish({});
  BlockParser parser;
  Bytes bytes;
  ASSERT_TRUE(parser.begin(payload_of(block)));
  EXPECT_FALSE(parser.get(Section::symbols, 999999, 0, bytes));
}

TEST(Block, refuses_every_head_with_a_bit_that_differs) {
  BlockBuilder builder(1);
  const Bytes block = builder.finish({BlockKind::chunk, 0, 10, 20, 30, 40, 50, 0});
  BlockHead head;
  for (size_t bit = 0; bit < 8 * kBlockHeadBytes; ++bit) {
    Bytes damaged = block;
    damaged[bit / 8] ^= static_cast<uint8_t>(1U << (bit % 8));
    EXPECT_FALSE(get_head(damaged, head)) << bit;
  }
}

TEST(Block, refuses_a_payload_that_ends_too_soon) {
  BlockBuilder builder(1);
  builder.add(Section::table, counting(200));
  const Bytes block = builder.finish({});
  BlockParser parser;
  ASSERT_TRUE(parser.begin(payload_of(block)));
  for (size_t length = 0; length + kBlockHeadBytes < block.size(); ++length)
    EXPECT_FALSE(parser.begin(payload_of(block).first(length))) << length;
}

} // namespace
} // namespace abut::trace
