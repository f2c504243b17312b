#include "helpers/trace_file.hpp"

#include "trace/text.hpp"

#include <fstream>
#include <sstream>

namespace helpers {
namespace {

class Text : public ::testing::Test {
protected:
  std::string written(trace::TextExport::Form form) {
    trace::Reader reader = open_reader(path_);
    const std::string out = folder_.file("out");
    auto text = trace::TextExport::open(reader, form, out);
    EXPECT_TRUE(text);
    trace::TextExport whole = text.take();
    while (!whole.done()) EXPECT_TRUE(whole.next());
    std::stringstream read;
    read << std::ifstream(out).rdbuf();
    return read.str();
  }

  ScratchFolder folder_;
  std::string path_ = folder_.file("run.trace");
};

TEST_F(Text, has_a_line_for_each_step) {
  trace::Writer writer = open_writer(path_, {.codes = true});
  const trace::Origin origin{2, 3, 40};
  const uint64_t object = writer.allocate(origin, 0x1000, 48, 16);
  writer.access({object, 8, 4, true, trace::Side::application, 2, 0xabc});
  writer.resize(origin, object, 0x1000, 64, false);
  writer.resize(origin, object, 0x2000, 99, true);
  writer.near(origin, object, 7);
  writer.touch(origin, object, 5);
  writer.gap(origin, 10);
  writer.discard(origin, 0x3000, 4096);
  writer.access({object, uint64_t(-8), 8, false, trace::Side::allocator, 1, 0});
  writer.access({0, 0x7f00, 8, false, trace::Side::application, 1, 0, 3});
  writer.free(origin, object);
  ASSERT_FALSE(writer.finish(0));
  EXPECT_EQ(written(trace::TextExport::Form::steps),
            "- allocate object 1 size 48 align 16 at 0x1000 thread 2 context 3 time 40\n"
            "0 write 4 object 1 +8 application thread 2 code 0xabc\n"
            "- resize object 1 size 64 at 0x1000 thread 2 context 3 time 40\n"
            "- move object 1 size 99 at 0x2000 thread 2 context 3 time 40\n"
            "- near object 1 to 7 thread 2 context 3 time 40\n"
            "- touch object 1 weight 5 thread 2 context 3 time 40\n"
            "- gap of 10 accesses thread 2 context 3 time 40\n"
            "- discard size 4096 at 0x3000 thread 2 context 3 time 40\n"
            "1 read 8 object 1 +-8 allocator thread 1\n"
            "2 read 8 at 0x7f00 application thread 1 from 0\n"
            "- free object 1 thread 2 context 3 time 40\n");
  EXPECT_EQ(written(trace::TextExport::Form::din), "1 1008\n0 1ff8\n0 7f00\n");
}

TEST_F(Text, leaves_out_of_din_what_has_no_known_place) {
  trace::Writer writer = open_writer(path_, {});
  const trace::Origin origin{1, 0, 0};
  const uint64_t object = writer.allocate(origin, 0, 48, 16);
  writer.access({object, 8, 4, true, trace::Side::application, 1, 0});
  writer.access({99, 0, 8, false, trace::Side::application, 1, 0}); // an object that is not known
  writer.access({0, 0xffffffffff600000, 8, false, trace::Side::application, 1, 0});
  ASSERT_FALSE(writer.finish(0));
  EXPECT_EQ(written(trace::TextExport::Form::din), "0 ffffffffff600000\n");
}

TEST_F(Text, is_as_long_as_the_trace) {
  MadeUpRun run(5);
  trace::Writer writer = open_writer(path_, {.chunk_accesses = 30000, .chunk_events = 500});
  run.perform(writer, 200000);
  ASSERT_FALSE(writer.finish(0));
  const std::string text = written(trace::TextExport::Form::steps);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), std::ssize(run.steps));
}

} // namespace
} // namespace helpers
