#include "helpers/trace_file.hpp"
#include "trace/object_table.hpp"

namespace helpers {
namespace {

class Objects : public ::testing::Test {
protected:
  ScratchFolder folder_;
  std::string path_ = folder_.file("run.trace");
};

TEST_F(Objects, have_a_row_each_with_their_lives) {
  trace::Writer writer = open_writer(path_);
  writer.allocate({1, 4, 100}, 0x1000, 16, 32);
  writer.allocate({2, 5, 200}, 0x2000, 48, 16);
  trace::Access access;
  access.object = 1;
  access.size = 8;
  writer.access(access);
  access.write = true;
  writer.access(access);
  writer.access(access);
  access.side = trace::Side::allocator;
  writer.access(access);
  writer.resize({1, 4, 300}, 1, 0x3000, 99, true);
  writer.free({1, 4, 400}, 1);
  ASSERT_FALSE(writer.finish(0));
  trace::Reader reader = open_reader(path_);
  const trace::ObjectTable table = trace::read_objects(reader, trace::Count::accesses);
  ASSERT_EQ(table.count(), 2);
  EXPECT_EQ(table.size, (std::vector<uint64_t>{16, 48}));
  EXPECT_EQ(table.last_size, (std::vector<uint64_t>{99, 48}));
  EXPECT_EQ(table.align, (std::vector<uint64_t>{32, 16}));
  EXPECT_EQ(table.address, (std::vector<uint64_t>{0x1000, 0x2000}));
  EXPECT_EQ(table.context, (std::vector<uint32_t>{4, 5}));
  EXPECT_EQ(table.thread, (std::vector<uint32_t>{1, 2}));
  EXPECT_EQ(table.born, (std::vector<uint64_t>{100, 200}));
  EXPECT_EQ(table.died, (std::vector<uint64_t>{400, trace::ObjectTable::kNever}));
  EXPECT_EQ(table.died_at, (std::vector<uint64_t>{4, trace::ObjectTable::kNever}));
  EXPECT_EQ(table.resizes, (std::vector<uint64_t>{1, 0}));
  EXPECT_EQ(table.reads, (std::vector<uint64_t>{1, 0}));
  EXPECT_EQ(table.writes, (std::vector<uint64_t>{2, 0}));
  EXPECT_EQ(table.allocator_accesses, (std::vector<uint64_t>{1, 0}));
}

TEST_F(Objects, are_the_same_from_events_alone_but_for_the_accesses) {
  MadeUpRun run(14);
  trace::Writer writer = open_writer(path_, {.chunk_accesses = 5000});
  run.perform(writer, 50000);
  ASSERT_FALSE(writer.finish(0));
  trace::Reader reader = open_reader(path_);
  const trace::ObjectTable all = trace::read_objects(reader, trace::Count::accesses);
  const trace::ObjectTable quick = trace::read_objects(reader, trace::Count::events);
  EXPECT_EQ(all.count(), writer.totals().objects);
  EXPECT_EQ(all.died_at, quick.died_at);
  EXPECT_EQ(all.last_size, quick.last_size);
  EXPECT_EQ(quick.reads, std::vector<uint64_t>(quick.count(), 0));
  uint64_t counted = 0;
  for (size_t row = 0; row < all.count(); ++row)
    counted += all.reads[row] + all.writes[row] + all.allocator_accesses[row];
  uint64_t of_objects = 0;
  for (const Step &step : run.steps) {
    const auto *access = std::get_if<trace::Access>(&step);
    if (access != nullptr && access->object != 0) ++of_objects;
  }
  EXPECT_EQ(counted, of_objects);
}

} // namespace
} // namespace helpers
