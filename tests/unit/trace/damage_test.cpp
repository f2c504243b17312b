// What is left of a trace that was cut short or damaged can be read, and what cannot is named.
#include "helpers/trace_file.hpp"

#include "trace/check.hpp"
#include "trace/object_table.hpp"
#include "trace/rows.hpp"

#include <algorithm>

namespace helpers {
namespace {

class Damaged : public ::testing::Test {
protected:
  Damaged() {
    trace::Writer writer = open_writer(path_, {.chunk_accesses = 4000, .chunk_events = 400});
    run_.perform(writer, 40000);
    finished_ = !writer.finish(0);
    whole_ = contents(path_);
    trace::Reader reader = open_reader(path_);
    chunks_ = reader.chunks();
  }

  void SetUp() override { ASSERT_TRUE(finished_); }

  // Whether the steps are the run's, from its begin.
  bool is_prefix(const std::vector<Step> &steps) const {
    return steps.size() <= run_.steps.size() &&
           std::equal(steps.begin(), steps.end(), run_.steps.begin());
  }

  ScratchFolder folder_;
  std::string path_ = folder_.file("run.trace");
  MadeUpRun run_{9};
  bool finished_ = false;
  trace::Bytes whole_;
  std::vector<trace::Placed> chunks_;
};

TEST_F(Damaged, a_killed_writer_leaves_its_full_chunks) {
  const std::string path = folder_.file("killed.trace");
  MadeUpRun run(10);
  {
    trace::Writer writer = open_writer(path, {.chunk_accesses = 4000});
    run.perform(writer, 20000);
  } // gone without an end
  trace::Reader reader = open_reader(path);
  const std::vector<Step> steps = read_steps(reader);
  EXPECT_FALSE(reader.totals());
  EXPECT_GT(steps.size(), 10000);
  EXPECT_TRUE(std::equal(steps.begin(), steps.end(), run.steps.begin()));
  ASSERT_EQ(reader.damages().size(), 1);
  EXPECT_NE(reader.damages()[0].what.find("the end is missing"), std::string::npos);
}

TEST_F(Damaged, a_truncated_file_gives_the_chunks_that_are_whole) {
  for (size_t length = whole_.size() - 1; length > 1000; length -= length / 7) {
    replace(path_, {whole_.begin(), whole_.begin() + static_cast<ptrdiff_t>(length)});
    trace::Reader reader = open_reader(path_);
    const auto whole = static_cast<size_t>(
        std::count_if(chunks_.begin(), chunks_.end(), [&](const trace::Placed &chunk) {
          return chunk.offset + trace::kBlockHeadBytes + chunk.head.payload_bytes <= length;
        }));
    EXPECT_EQ(reader.chunks().size(), whole) << length;
    EXPECT_TRUE(is_prefix(read_steps(reader))) << length;
    EXPECT_FALSE(reader.damages().empty());
  }
}

TEST_F(Damaged, a_changed_byte_costs_its_chunk_alone) {
  const trace::Placed &chunk = chunks_[chunks_.size() / 2];
  trace::Bytes bytes = whole_;
  bytes[chunk.offset + trace::kBlockHeadBytes + chunk.head.payload_bytes / 2] ^= 1;
  replace(path_, bytes);
  trace::Reader reader = open_reader(path_);
  const std::vector<Step> steps = read_steps(reader);
  EXPECT_EQ(steps.size() + chunk.head.accesses + chunk.head.events, run_.steps.size());
  ASSERT_EQ(reader.damages().size(), 1);
  EXPECT_EQ(reader.damages()[0].offset, chunk.offset);
}

TEST_F(Damaged, a_hole_in_a_file_without_an_end_is_stepped_over) {
  const trace::Placed &chunk = chunks_[3];
  trace::Bytes bytes(whole_.begin(), whole_.end() - 5);
  std::fill_n(bytes.begin() + static_cast<ptrdiff_t>(chunk.offset), 100, uint8_t{0});
  replace(path_, bytes);
  trace::Reader reader = open_reader(path_);
  EXPECT_EQ(reader.chunks().size(), chunks_.size() - 1);
  const auto &damages = reader.damages();
  EXPECT_TRUE(std::any_of(damages.begin(), damages.end(), [&](const trace::Damage &damage) {
    return damage.offset == chunk.offset;
  }));
}

TEST_F(Damaged, other_files_are_refused_by_name) {
  replace(path_, {'#', '!', '/', 'b', 'i', 'n', '/', 's', 'h', '\n', 1, 2, 3, 4, 5, 6, 7});
  EXPECT_EQ(trace::Reader::open(path_).error().why, "is not a trace");
  replace(path_, {});
  EXPECT_EQ(trace::Reader::open(path_).error().why, "is not a trace");
  EXPECT_EQ(trace::Reader::open(folder_.file("none")).error().why, "No such file or directory");
}

// The first format stored accesses in columns of other kinds: a reader of those would make up what never was.
TEST_F(Damaged, traces_of_older_and_newer_formats_are_refused_with_both_versions_named) {
  const size_t at = trace::kFileMagic.size();
  ASSERT_EQ(whole_[at], 2);
  for (const uint8_t other : {uint8_t{1}, uint8_t{3}}) {
    trace::Bytes bytes = whole_;
    bytes[at] = other;
    replace(path_, bytes);
    const auto opened = trace::Reader::open(path_);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().why,
              "is a trace of format " + std::to_string(other) + ", and this abut reads format 2");
    EXPECT_EQ(opened.error().fix, "use the abut that recorded it, or record it again");
  }
}

// Checksums keep such damage from the decoders; here they are made right again, so that it reaches them.
TEST_F(Damaged, chunks_that_only_pretend_to_be_whole_are_read_or_refused) {
  support::Random random(11);
  for (int round = 0; round < 600; ++round) {
    const trace::Placed &chunk = chunks_[random.below(chunks_.size())];
    trace::Bytes bytes = whole_;
    trace::BlockHead head = chunk.head;
    const size_t begin = chunk.offset + trace::kBlockHeadBytes;
    for (uint64_t change = 0; change <= random.below(4); ++change) {
      const size_t near = random.below(2) == 0 ? 300 : head.payload_bytes;
      bytes[begin + random.below(std::min<size_t>(near, head.payload_bytes))] =
          static_cast<uint8_t>(random.next());
    }
    if (random.below(4) == 0)
      head.accesses = static_cast<uint32_t>(random.next() >> random.below(32));
    if (random.below(4) == 0)
      head.events = static_cast<uint32_t>(random.next() >> random.below(32));
    if (random.below(4) == 0) head.first_object = random.next() >> random.below(64);
    if (random.below(8) == 0) head.first_object = 0;
    head.payload_sum = trace::checksum(trace::ByteView(bytes).subspan(begin, head.payload_bytes));
    trace::Bytes fresh;
    trace::put_head(fresh, head);
    std::copy(fresh.begin(), fresh.end(), bytes.begin() + static_cast<ptrdiff_t>(chunk.offset));
    bytes.resize(bytes.size() - 1); // no end: the heads in the file count
    replace(path_, bytes);
    trace::Reader reader = open_reader(path_);
    EXPECT_LE(trace::check(reader).remarkable.accesses, reader.accesses());
    EXPECT_LE(trace::read_objects(reader, trace::Count::accesses).count(),
              reader.events() + trace::kMostLostBirths);
  }
}

} // namespace
} // namespace helpers
