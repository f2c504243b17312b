#include "helpers/trace_file.hpp"
#include "support/random.hpp"
#include "trace/format/access_decoder.hpp"
#include "trace/format/access_encoder.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace abut::trace {
namespace {

void add_slack(AccessColumns &columns) {
  for (Bytes *column : {&columns.objects, &columns.offsets})
    column->resize(column->size() + AccessDecoder::kSlack);
}

std::vector<Access> decoded(AccessDecoder &decoder, uint32_t count, const AccessColumns &columns) {
  std::vector<Access> accesses;
  EXPECT_TRUE(decoder.begin(count, columns));
  while (const uint32_t some = decoder.next(1000))
    for (uint32_t i = 0; i < some; ++i) accesses.push_back(helpers::access_at(decoder, i));
  EXPECT_FALSE(decoder.failed());
  return accesses;
}

using Make = std::function<Access(uint32_t)>;

void expect_same_after_a_trip(const Make &make, uint32_t count, bool codes = false) {
  AccessEncoder encoder(codes);
  AccessDecoder decoder;
  for (int chunk = 0; chunk < 2; ++chunk) {
    std::vector<Access> accesses;
    for (uint32_t i = 0; i < count; ++i) {
      accesses.push_back(make(i));
      encoder.add(accesses.back());
    }
    AccessColumns columns = encoder.finish();
    EXPECT_EQ(encoder.count(), 0);
    add_slack(columns);
    EXPECT_EQ(decoded(decoder, count, columns), accesses);
  }
}

Access plain(uint64_t object, uint64_t offset, uint32_t size = 8) {
  Access access;
  access.object = object;
  access.offset = offset;
  access.size = size;
  access.thread = 1;
  return access;
}

TEST(AccessColumns, keep_a_sweep) {
  expect_same_after_a_trip([](uint32_t i) { return plain(3, uint64_t{i} * 8); }, 20000);
}

TEST(AccessColumns, keep_a_walk_of_nodes) {
  expect_same_after_a_trip([](uint32_t i) { return plain(1 + i / 2, i % 2 * 8); }, 20000);
}

TEST(AccessColumns, tell_a_sweep_by_its_groups_alone) {
  AccessEncoder encoder;
  for (uint32_t i = 0; i < 100000; ++i) encoder.add(plain(3, uint64_t{i} * 8));
  const AccessColumns columns = encoder.finish();
  EXPECT_EQ(columns.symbols.size(), 2 * 100000);
  EXPECT_LT(columns.objects.size() + columns.offsets.size() + columns.rules.size(), 1000);
}

TEST(AccessColumns, keep_numbers_of_any_width) {
  support::Random random(5);
  const auto any = [&random](uint32_t) {
    const auto wide = [&random] { return random.next() >> random.below(64); };
    Access access = plain(wide(), wide(), static_cast<uint32_t>(wide()));
    access.write = random.below(2) == 0;
    access.side = random.below(2) == 0 ? Side::application : Side::allocator;
    access.thread = static_cast<uint32_t>(wide());
    access.source = static_cast<uint8_t>(wide());
    return access;
  };
  expect_same_after_a_trip(any, 50000);
}

TEST(AccessColumns, keep_accesses_that_hardly_ever_repeat) {
  support::Random random(6);
  const auto varied = [&random](uint32_t) {
    return plain(1 + random.below(3000), random.below(40) * 8, 1U << random.below(6));
  };
  expect_same_after_a_trip(varied, 60000);
}

TEST(AccessColumns, keep_code_addresses_by_the_ten_thousand) {
  support::Random random(7);
  const auto coded = [&random](uint32_t i) {
    Access access = plain(1, 0);
    access.code = 0x7f0000000000 + random.below(i < 1000 ? 10 : 50000);
    return access;
  };
  expect_same_after_a_trip(coded, 60000, true);
}

TEST(AccessColumns, reach_as_far_back_as_the_window_and_no_further) {
  const auto rare = [](uint32_t i) { return i % kWindow == 0 ? plain(9, 8) : plain(1, 0); };
  expect_same_after_a_trip(rare, 5 * kWindow);
  const auto rarer = [](uint32_t i) { return i % (kWindow + 1) == 0 ? plain(9, 8) : plain(1, 0); };
  expect_same_after_a_trip(rarer, 5 * kWindow);
}

TEST(AccessColumns, keep_runs_of_any_length_also_where_a_site_comes_again) {
  support::Random random(9);
  AccessEncoder encoder;
  std::vector<SiteNumber> numbers;
  for (uint32_t i = 0; i < 40; ++i) numbers.push_back(encoder.site({0, 1 + i, 0, 0}));
  std::vector<Access> expected;
  for (int run = 0; run < 5000; ++run) {
    const auto length = static_cast<size_t>(1 + random.below(kMostInGroup));
    std::vector<SiteNumber> sites;
    std::vector<Place> places;
    for (size_t i = 0; i < length; ++i) {
      const uint64_t which = random.below(random.below(2) == 0 ? 40 : 2);
      sites.push_back(numbers[which]);
      places.push_back(Place{1 + random.below(3), expected.size() * random.below(3)});
      expected.push_back(plain(places[i][0], places[i][1], static_cast<uint32_t>(1 + which)));
    }
    encoder.add(1, sites, places.data());
  }
  AccessColumns columns = encoder.finish();
  add_slack(columns);
  AccessDecoder decoder;
  EXPECT_EQ(decoded(decoder, static_cast<uint32_t>(expected.size()), columns), expected);
}

class DamagedColumns : public ::testing::Test {
protected:
  DamagedColumns() {
    AccessEncoder encoder;
    for (uint32_t i = 0; i < 1000; ++i) encoder.add(plain(random_.below(500), random_.next()));
    columns_ = encoder.finish();
    add_slack(columns_);
  }

  bool readable() {
    AccessDecoder decoder;
    if (!decoder.begin(1000, columns_)) return false;
    while (decoder.next(300) != 0) {
    }
    return !decoder.failed();
  }

  support::Random random_{8};
  AccessColumns columns_;
};

TEST_F(DamagedColumns, are_read_when_they_are_whole) { EXPECT_TRUE(readable()); }

TEST_F(DamagedColumns, are_refused_with_a_group_that_there_is_not) {
  columns_.symbols[500 * 2 + 1] = 0xff;
  EXPECT_FALSE(readable());
}

TEST_F(DamagedColumns, are_refused_when_a_column_ends_too_soon) {
  columns_.offsets.resize(columns_.offsets.size() - 1);
  EXPECT_FALSE(readable());
}

TEST_F(DamagedColumns, are_refused_when_groups_run_out_or_are_left_over) {
  AccessColumns whole = columns_;
  columns_.symbols.resize(columns_.symbols.size() - 2);
  EXPECT_FALSE(readable());
  columns_ = whole;
  columns_.symbols.resize(columns_.symbols.size() + 2, 0);
  EXPECT_FALSE(readable());
}

TEST_F(DamagedColumns, are_refused_with_a_rule_that_reaches_beyond_the_window) {
  std::vector<Rule> rules;
  ASSERT_TRUE(get_rules(columns_.rules, 1, rules));
  rules[0].back = kWindow + 1;
  columns_.rules.clear();
  put_rules(columns_.rules, rules);
  EXPECT_FALSE(readable());
}

TEST_F(DamagedColumns, are_refused_with_a_rule_for_a_site_that_there_is_not) {
  columns_.sites = {0};
  EXPECT_FALSE(readable());
}

TEST_F(DamagedColumns, are_refused_with_a_group_of_rules_that_there_are_not) {
  columns_.rules = {0};
  EXPECT_FALSE(readable());
}

TEST_F(DamagedColumns, are_refused_when_threads_run_out) {
  columns_.threads = {1, 10};
  EXPECT_FALSE(readable());
}

} // namespace
} // namespace abut::trace
