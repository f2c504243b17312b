// Sets of plain caches against a list of lines in the order of their uses.
#include "sim/plain/plain_sets.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <list>
#include <memory>
#include <random>
#include <vector>

namespace abut::sim {
namespace {

struct Outcome {
  std::vector<LineRequest> handed;
  std::vector<uint8_t> missed;
  Left left;
};

// What plain sets do, one request after another.
class Listed {
public:
  Listed(uint64_t sets, uint32_t ways) : sets_(sets), ways_(ways) {}

  void run(const LineRequest &line_request, Outcome &outcome) {
    std::list<Line> &set = sets_[line_request.line() % sets_.size()];
    const auto found = std::find_if(set.begin(), set.end(), [&](const Line &line) {
      return line.number == line_request.line();
    });
    const bool dirties =
        line_request.is_write_back() || (line_request.bits & LineRequest::kMakesDirty) != 0;
    outcome.missed.push_back(found == set.end() && !line_request.is_write_back());
    if (found == set.end())
      outcome.handed.push_back({line_request.bits & ~LineRequest::kMakesDirty, line_request.owner});
    if (found != set.end()) {
      found->dirty |= dirties;
      if (!line_request.is_write_back()) set.splice(set.begin(), set, found);
    } else if (!line_request.is_write_back()) {
      if (set.size() == ways_) leave(set, outcome);
      set.push_front(
          {line_request.line(), dirties, (line_request.bits & LineRequest::kByAllocator) != 0});
    }
  }

private:
  struct Line {
    uint64_t number;
    bool dirty;
    bool by_allocator;
  };

  static void leave(std::list<Line> &set, Outcome &outcome) {
    const Line line = set.back();
    set.pop_back();
    ++outcome.left.all;
    outcome.left.of_allocator += line.by_allocator;
    if (!line.dirty) return;
    ++outcome.left.dirty;
    outcome.left.dirty_of_allocator += line.by_allocator;
    const uint64_t whose = line.by_allocator ? LineRequest::kByAllocator : 0;
    outcome.handed.push_back(
        {line.number << Entry::kLineShift | whose | LineRequest::kWriteBack, 0});
  }

  std::vector<std::list<Line>> sets_;
  uint32_t ways_;
};

struct Shape {
  uint64_t sets;
  uint32_t ways;
};

// To about twice as many lines as there is room for, `rare`: one of so many to any of them, the others to a few.
std::vector<LineRequest> made_up(const Shape &shape, unsigned rare, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<LineRequest> requests;
  const uint64_t lines = 2 * shape.sets * shape.ways;
  for (size_t i = 0; i < 500 + seed; ++i) {
    const uint64_t line = random() % (random() % rare == 0 ? lines : lines / 4 + 1);
    const uint64_t bits = LineRequest::bits_of(line, random() % kKinds);
    if (random() % 5 == 0)
      requests.push_back(LineRequest::write_back(bits));
    else
      requests.push_back({bits, static_cast<Owner>(random() % 9)});
  }
  return requests;
}

void expect_same(const Outcome &outcome, const Outcome &expected) {
  ASSERT_EQ(outcome.handed.size(), expected.handed.size());
  for (size_t i = 0; i < expected.handed.size(); ++i) {
    ASSERT_EQ(outcome.handed[i].bits, expected.handed[i].bits) << i;
    ASSERT_EQ(outcome.handed[i].owner, expected.handed[i].owner) << i;
  }
  EXPECT_EQ(outcome.missed, expected.missed);
  EXPECT_EQ(outcome.left.all, expected.left.all);
  EXPECT_EQ(outcome.left.dirty, expected.left.dirty);
  EXPECT_EQ(outcome.left.of_allocator, expected.left.of_allocator);
  EXPECT_EQ(outcome.left.dirty_of_allocator, expected.left.dirty_of_allocator);
}

// Requests run after each other must leave sets as lists are left: some of the last go far up.
void expect_like_lists(const Shape &shape, unsigned seed) {
  PlainSets sets(shape.sets, shape.ways);
  Listed listed(shape.sets, shape.ways);
  for (const unsigned rare : {1, 400, 3}) { // few hit, nearly all, many
    std::vector<LineRequest> requests = made_up(shape, rare, seed);
    if (rare == 3)
      for (LineRequest &line_request : requests)
        if (line_request.bits % 3 == 0) line_request.bits += uint64_t{1} << 44 << Entry::kLineShift;
    Outcome expected;
    for (const LineRequest &line_request : requests) listed.run(line_request, expected);
    Outcome outcome;
    outcome.handed.resize(2 * requests.size());
    outcome.missed.resize(requests.size());
    outcome.handed.resize(
        sets.run(requests, outcome.handed.data(), outcome.missed.data(), outcome.left));
    expect_same(outcome, expected);
  }
}

// The last one does not fit a nearest cache.
constexpr Shape kShapes[] = {{1, 1},  {8, 1},   {1, 4},   {5, 7},  {16, 8},
                             {3, 11}, {64, 12}, {16, 16}, {1, 16}, {1024, 16}};

TEST(PlainSets, DoWhatListsDo) {
  for (const Shape &shape : kShapes)
    for (unsigned seed = 0; seed < 5; ++seed) expect_like_lists(shape, seed);
}

} // namespace
} // namespace abut::sim
