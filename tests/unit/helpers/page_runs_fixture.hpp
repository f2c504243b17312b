// Page runs of a test's own, and the runs that it holds: all given back at its end.
#pragma once

#include "heap/page_runs.hpp"

#include "helpers/option_setting.hpp"
#include "helpers/residency.hpp"
#include "support/pattern.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace abut::heap {

// Inside a test, `Run` is a member function of GoogleTest's.
using PageRun = Run;

class PageRunsFixture : public testing::Test {
protected:
  static constexpr int64_t kDecayMs = 60000; // longer than any test

  void TearDown() override {
    for (const PageRun &run : held_) runs.release(run.segment, run.pages);
    runs.trim();
    EXPECT_EQ(segments(), 0U) << "a segment without a page in use goes back";
    EXPECT_EQ(free_resident(), 0U);
  }

  PageRun allocate(uint32_t count, uint32_t align = 1) {
    const PageRun run = runs.allocate({count}, align);
    EXPECT_TRUE(run);
    if (run) held_.push_back(run);
    return run;
  }

  void release(const PageRun &run) {
    std::erase_if(held_, [&](const PageRun &one) { return one.address() == run.address(); });
    runs.release(run.segment, run.pages);
  }

  bool resize(PageRun &run, uint32_t count) {
    if (!runs.resize(run.segment, run.pages, {count})) return false;
    for (PageRun &one : held_)
      if (one.address() == run.address()) one.pages.count = count;
    run.pages.count = count;
    return true;
  }

  // Free pages that are resident.
  size_t free_resident() const { return retention.resident() - resident_before_; }

  size_t segments() {
    size_t count = 0;
    runs.each_segment([&](RunSegment &) { ++count; });
    return count;
  }

  static void *memory(const PageRun &run) { return reinterpret_cast<void *>(run.address()); }
  static size_t bytes(const PageRun &run) { return Pages{run.pages.count}.bytes(); }
  static void touch(const PageRun &run) { test::touch(memory(run), bytes(run)); }
  static size_t resident(const PageRun &run) {
    return test::resident_pages(run.address(), bytes(run));
  }
  static bool reads_as_zero(const PageRun &run) {
    return support::all_zero(memory(run), bytes(run));
  }

  // Nothing goes back to the kernel by itself, unless a test says so.
  test::OptionSetting retain{Option::retain_mb, 1024};
  test::OptionSetting decay{Option::decay_ms, kDecayMs};
  PageRuns runs;

private:
  std::vector<PageRun> held_;
  const size_t resident_before_ = retention.resident();
};

} // namespace abut::heap
