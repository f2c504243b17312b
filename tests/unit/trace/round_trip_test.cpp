#include "helpers/trace_file.hpp"

#include <unistd.h>

namespace helpers {
namespace {

class RoundTrip : public ::testing::Test {
protected:
  ScratchFolder folder_;
  std::string path_ = folder_.file("run.trace");
};

TEST_F(RoundTrip, gives_back_every_step_in_order) {
  for (const uint64_t seed : {1, 2, 3}) {
    MadeUpRun run(seed);
    const std::string path = folder_.file(std::to_string(seed));
    trace::Writer writer = open_writer(path, {.chunk_accesses = 30000, .chunk_events = 500});
    run.perform(writer, 200000);
    ASSERT_FALSE(writer.finish(0));
    trace::Reader reader = open_reader(path);
    EXPECT_GT(reader.chunks().size(), 5);
    EXPECT_TRUE(read_steps(reader) == run.steps);
    EXPECT_TRUE(reader.damages().empty());
  }
}

TEST_F(RoundTrip, gives_back_code_addresses) {
  MadeUpRun run(4);
  run.with_codes = true;
  trace::Writer writer = open_writer(path_, {.codes = true, .chunk_accesses = 10000});
  run.perform(writer, 50000);
  ASSERT_FALSE(writer.finish(0));
  trace::Reader reader = open_reader(path_);
  EXPECT_TRUE(read_steps(reader) == run.steps);
}

// A wide step is stored apart from what it belongs to; the next time the same code runs, there may be none.
TEST_F(RoundTrip, gives_back_steps_that_are_wide_now_and_none_then) {
  support::Random random(6);
  trace::Writer writer = open_writer(path_, {.codes = true});
  std::vector<uint64_t> expected;
  const auto read_from = [&](uint64_t address, uint64_t code) {
    writer.access({0, address, 8, false, trace::Side::application, 1, code});
    expected.push_back(address);
  };
  for (uint64_t i = 0; i < 5000; ++i) {
    const uint64_t near = 0x400000 + i * 4096, far = 0x7f0000000000 + i * 4096;
    read_from(near, 0x1000);
    read_from(random.below(2) == 0 ? near : far, 0x1004);
  }
  ASSERT_FALSE(writer.finish(0));
  trace::Reader reader = open_reader(path_);
  std::vector<uint64_t> read;
  for (trace::Batches batches(reader); batches.next();)
    read.insert(read.end(), batches.offsets().begin(), batches.offsets().end());
  EXPECT_TRUE(read == expected);
}

TEST_F(RoundTrip, gives_back_who_recorded_what) {
  const trace::Header header{{"prog", "an argument", ""}, "a machine", "a recorder", 123456789, 42,
                             {{"window", "100M"}}};
  trace::Writer writer = open_writer(path_, {}, header);
  ASSERT_FALSE(writer.finish(0));
  EXPECT_EQ(open_reader(path_).header(), header);
}

TEST_F(RoundTrip, gives_back_modules_and_contexts) {
  trace::Writer writer = open_writer(path_);
  const trace::Module program{"/bin/prog", "00ff", 0x400000, 0x1000, false};
  const trace::Module plugin{"/lib/plugin.so", "", 0x7f0000000000, 0x2000, false};
  EXPECT_EQ(writer.module(program), 1);
  EXPECT_EQ(writer.module(plugin), 2);
  const trace::Chain near{{1, 0x10}}, far{{2, 0x20}, {1, 0x10}};
  EXPECT_EQ(writer.context(near), 1);
  writer.flush();
  EXPECT_EQ(writer.context(far), 2);
  EXPECT_EQ(writer.context(near), 1);
  writer.flush();
  writer.unload(2);
  ASSERT_FALSE(writer.finish(0));
  trace::Reader reader = open_reader(path_);
  trace::Module unloaded = plugin;
  unloaded.unloaded = true;
  EXPECT_EQ(reader.modules(), (std::vector{program, unloaded}));
  EXPECT_EQ(reader.contexts(), (std::vector{near, far}));
}

TEST_F(RoundTrip, gives_back_what_was_counted) {
  MadeUpRun run(5);
  trace::Writer writer = open_writer(path_);
  run.perform(writer, 10000);
  writer.count_unmatched_free();
  writer.count_dropped(3, 4);
  writer.count_instructions(uint64_t{1} << 40);
  ASSERT_FALSE(writer.finish(-9, 777));
  const trace::Reader reader = open_reader(path_);
  ASSERT_TRUE(reader.totals());
  const trace::Totals &totals = *reader.totals();
  EXPECT_EQ(totals.accesses, run.accesses);
  EXPECT_EQ(totals.events, run.steps.size() - run.accesses);
  EXPECT_EQ(totals.frees, run.frees);
  EXPECT_EQ(totals.unmatched_frees, 1);
  EXPECT_EQ(totals.dropped_events, 3);
  EXPECT_EQ(totals.dropped_accesses, 4);
  EXPECT_EQ(totals.exit_status, -9);
  EXPECT_EQ(totals.ended, 777);
  EXPECT_EQ(totals.instructions, uint64_t{1} << 40);
  EXPECT_EQ(reader.accesses(), totals.accesses);
  EXPECT_EQ(reader.events(), totals.events);
}

TEST_F(RoundTrip, begins_at_any_chunk) {
  MadeUpRun run(6);
  trace::Writer writer = open_writer(path_, {.chunk_accesses = 5000});
  run.perform(writer, 50000);
  ASSERT_FALSE(writer.finish(0));
  trace::Reader reader = open_reader(path_);
  const std::vector<Step> all = read_steps(reader);
  for (size_t chunk = 1; chunk < reader.chunks().size(); ++chunk) {
    const trace::BlockHead &head = reader.chunks()[chunk].head;
    trace::Batches batches(reader, chunk, chunk + 1);
    ASSERT_TRUE(batches.next());
    EXPECT_EQ(batches.first_access(), head.first_access);
    const Step expected = all[head.first_access + head.first_event];
    const bool event_first = std::holds_alternative<trace::Event>(expected);
    if (event_first)
      EXPECT_EQ(batches.events()[0], std::get<trace::Event>(expected));
    else
      EXPECT_EQ(access_at(batches, 0), std::get<trace::Access>(expected));
  }
}

TEST_F(RoundTrip, a_run_without_a_step_is_a_trace_too) {
  trace::Writer writer = open_writer(path_);
  ASSERT_FALSE(writer.finish(3));
  trace::Reader reader = open_reader(path_);
  EXPECT_TRUE(read_steps(reader).empty());
  EXPECT_EQ(reader.totals()->exit_status, 3);
}

TEST_F(RoundTrip, a_file_that_is_there_is_not_overwritten_unless_asked) {
  replace(path_, {1, 2, 3});
  EXPECT_EQ(trace::Writer::open(path_, {}).error().why, "is there already");
  EXPECT_EQ(contents(path_).size(), 3);
  EXPECT_TRUE(trace::Writer::open(path_, {}, {.overwrite = trace::Overwrite::yes}).ok());
}

TEST_F(RoundTrip, a_full_disk_is_an_error_that_names_the_file) {
  trace::Result<trace::Writer> writer =
      trace::Writer::open("/dev/full", {}, {.overwrite = trace::Overwrite::yes});
  ASSERT_FALSE(writer.ok());
  EXPECT_EQ(writer.error().what, "/dev/full");
  EXPECT_EQ(writer.error().why, "No space left on device");
}

TEST_F(RoundTrip, follows_no_link_and_replaces_what_it_overwrites) {
  const std::string link = folder_.file("link"), other = folder_.file("other");
  ASSERT_EQ(symlink(path_.c_str(), link.c_str()), 0);
  const trace::WriterOptions overwrite{.overwrite = trace::Overwrite::yes};
  EXPECT_FALSE(trace::Writer::open(link, {}, overwrite)); // it dangles
  EXPECT_NE(access(path_.c_str(), F_OK), 0);
  ASSERT_FALSE(open_writer(path_, {}).finish(0));
  EXPECT_FALSE(trace::Writer::open(link, {}, overwrite));
  ASSERT_EQ(::link(path_.c_str(), other.c_str()), 0);
  ASSERT_FALSE(open_writer(path_, overwrite).finish(3));
  EXPECT_EQ(open_reader(other).totals()->exit_status, 0);
  EXPECT_EQ(open_reader(path_).totals()->exit_status, 3);
}

} // namespace
} // namespace helpers
