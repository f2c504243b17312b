#include "helpers/trace_file.hpp"
#include "trace/check.hpp"

#include <algorithm>

namespace helpers {
namespace {

class Check : public ::testing::Test {
protected:
  static trace::Origin at(uint64_t time, uint32_t thread = 1, uint32_t context = 0) {
    return {thread, context, time};
  }

  static trace::Access touch(uint64_t object, uint64_t offset, trace::Side side = {}) {
    trace::Access access;
    access.object = object;
    access.offset = offset;
    access.size = 8;
    access.side = side;
    access.thread = 1;
    return access;
  }

  trace::Findings findings() {
    EXPECT_FALSE(writer_.finish(0));
    trace::Reader reader = open_reader(path_);
    return trace::check(reader);
  }

  std::vector<std::string> broken_rules() {
    std::vector<std::string> rules;
    for (const trace::Violation &violation : findings().violations) rules.push_back(violation.rule);
    return rules;
  }

  using Rules = std::vector<std::string>;
  ScratchFolder folder_;
  std::string path_ = folder_.file("run.trace");
  trace::Writer writer_ = open_writer(path_, {.chunk_accesses = 3});
};

TEST_F(Check, finds_nothing_wrong_with_a_sound_run) {
  const uint64_t object = writer_.allocate(at(1), 0x1000, 16, 16);
  for (const uint64_t offset : {0, 8, 0, 8}) writer_.access(touch(object, offset));
  writer_.resize(at(2), object, 0x1000, 24, false);
  writer_.access(touch(object, 16));
  writer_.access(touch(0, 0x7ffc0000));
  writer_.free(at(3), object);
  const uint64_t kept = writer_.allocate(at(4), 0x1000, 16, 16);
  writer_.near(at(5), kept, object);
  const trace::Findings found = findings();
  EXPECT_TRUE(found.violations.empty());
  EXPECT_EQ(found.live_objects, 1);
  EXPECT_EQ(found.events, 5);
  EXPECT_EQ(found.remarkable.accesses, 6);
  EXPECT_EQ(found.remarkable.without_object, 1);
  EXPECT_EQ(found.remarkable.outside + found.remarkable.dead, 0);
}

TEST_F(Check, counts_accesses_outside_of_objects_and_to_dead_ones_by_side) {
  const uint64_t object = writer_.allocate(at(1), 0x1000, 16, 16);
  writer_.access(touch(object, 12));
  writer_.access(touch(object, ~uint64_t{0} - 7, trace::Side::allocator)); // the header before it
  writer_.free(at(2), object);
  writer_.access(touch(object, 0));
  writer_.access(touch(object, 8, trace::Side::allocator));
  const trace::Findings found = findings();
  EXPECT_TRUE(found.violations.empty());
  EXPECT_EQ(found.remarkable.outside, 1);
  EXPECT_EQ(found.remarkable.allocator_outside, 1);
  EXPECT_EQ(found.remarkable.dead, 1);
  EXPECT_EQ(found.remarkable.allocator_dead, 1);
}

TEST_F(Check, a_second_free_breaks_a_rule_and_is_placed) {
  const uint64_t object = writer_.allocate(at(1), 0x1000, 16, 16);
  for (const uint64_t time : {2, 3, 4}) writer_.free(at(time), object);
  const trace::Findings found = findings();
  ASSERT_EQ(found.violations.size(), 1);
  EXPECT_EQ(found.violations[0].rule, "an object is freed once");
  EXPECT_EQ(found.violations[0].first, "event 2, object 1");
  EXPECT_EQ(found.violations[0].count, 2);
}

TEST_F(Check, objects_that_were_never_allocated_break_rules) {
  writer_.free(at(1), 5);
  writer_.access(touch(7, 0));
  EXPECT_EQ(broken_rules(), (Rules{"what is freed, resized or hinted at was allocated",
                                   "an object is allocated before it is accessed"}));
}

TEST_F(Check, resizing_a_dead_object_breaks_a_rule) {
  const uint64_t object = writer_.allocate(at(1), 0x1000, 16, 16);
  writer_.free(at(2), object);
  writer_.resize(at(3), object, 0x2000, 32, true);
  EXPECT_EQ(broken_rules(), Rules{"an object that is resized is alive"});
}

TEST_F(Check, time_may_go_back_between_threads_only) {
  writer_.allocate(at(10, 1), 0x1000, 16, 16);
  writer_.allocate(at(5, 2), 0x2000, 16, 16);
  writer_.allocate(at(9, 1), 0x3000, 16, 16);
  EXPECT_EQ(broken_rules(), Rules{"a thread's time never goes back"});
}

TEST_F(Check, numbers_that_no_table_has_break_rules) {
  const trace::Frame nowhere{9, 0x10};
  const uint32_t context = writer_.context({&nowhere, 1});
  writer_.allocate(at(1, 1, context + 1), 0x1000, 16, 16);
  EXPECT_EQ(broken_rules(), (Rules{"an event's context is in the table of contexts",
                                   "a context's frames are in modules of the table"}));
}

TEST_F(Check, made_up_runs_are_sound) {
  MadeUpRun run(12);
  run.perform(writer_, 20000);
  for (const std::string &rule : broken_rules())
    EXPECT_TRUE(rule == "a thread's time never goes back" ||
                rule == "an event's context is in the table of contexts")
        << rule;
}

TEST_F(Check, does_not_blame_a_run_for_what_damage_took) {
  MadeUpRun run(13);
  run.perform(writer_, 20000);
  ASSERT_FALSE(writer_.finish(0));
  const size_t chunk = open_reader(path_).chunks()[5].offset;
  trace::Bytes bytes = contents(path_);
  bytes[chunk + trace::kBlockHeadBytes + 20] ^= 1;
  replace(path_, bytes);
  trace::Reader reader = open_reader(path_);
  for (const trace::Violation &violation : trace::check(reader).violations)
    EXPECT_EQ(violation.rule.find("as many"), std::string::npos) << violation.rule;
  EXPECT_EQ(reader.damages().size(), 1);
}

} // namespace
} // namespace helpers
