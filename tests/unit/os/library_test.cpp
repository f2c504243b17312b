#include "os/library.hpp"

#include <cerrno>
#include <cstring>
#include <gtest/gtest.h>

namespace abut::os {
namespace {

const Import kImports[] = {{"strlen", reinterpret_cast<const void *>(std::strlen)}};

template <class Function>
Function *function(const Library &library, const char *name) {
  return reinterpret_cast<Function *>(library.find(name));
}

TEST(Library, HasItsFunctionsAndTablesOnceItIsLinked) {
  Library library;
  ASSERT_TRUE(library.map(SAMPLE));
  EXPECT_TRUE(library.is_mapped());
  ASSERT_TRUE(library.link(kImports));
  auto *count = function<size_t(unsigned, const char *)>(library, "sample_count");
  auto *called = function<int()>(library, "sample_called");
  ASSERT_TRUE(count != nullptr && called != nullptr);
  EXPECT_EQ(called(), 0) << "what is not in the file is zero";
  EXPECT_EQ(count(0, "three short words"), 3U);
  EXPECT_EQ(count(1, "three short words"), 17U) << "a function that another has";
  EXPECT_EQ(called(), 2);
}

TEST(Library, WorksOnAfterItsCodeAndTablesLeft) {
  Library library;
  ASSERT_TRUE(library.map(SAMPLE) && library.link(kImports));
  auto *count = function<size_t(unsigned, const char *)>(library, "sample_count");
  auto *called = function<int()>(library, "sample_called");
  EXPECT_EQ(count(0, "two words"), 2U);
  library.rest();
  EXPECT_EQ(count(1, "two words"), 9U);
  EXPECT_EQ(called(), 2) << "what it has written stays";
}

TEST(Library, IsThereTwiceWhereItIsMappedTwice) {
  Library first;
  Library second;
  ASSERT_TRUE(first.map(SAMPLE) && first.link(kImports));
  ASSERT_TRUE(second.map(SAMPLE) && second.link(kImports));
  function<size_t(unsigned, const char *)>(first, "sample_count")(0, "");
  EXPECT_EQ(function<int()>(first, "sample_called")(), 1);
  EXPECT_EQ(function<int()>(second, "sample_called")(), 0);
}

TEST(Library, HasNothingThatItDoesNotExport) {
  Library library;
  ASSERT_TRUE(library.map(SAMPLE) && library.link(kImports));
  for (const char *name : {"count_words", "strlen", "sample", "sample_counts2", ""})
    EXPECT_EQ(library.find(name), nullptr) << name;
  EXPECT_NE(library.find("sample_counts"), nullptr);
}

TEST(Library, IsNotLinkedWhereItWantsWhatNobodyHas) {
  Library library;
  ASSERT_TRUE(library.map(SAMPLE));
  EXPECT_FALSE(library.link({}));
}

// A program, a text, a folder, a library with thread-local variables, one with pages that are not in its file.
TEST(Library, IsNoOtherFile) {
  for (const char *path : {"/no/such/file", "/etc/passwd", "/", "/dev/null",
                           SAMPLE_WITH_THREAD_LOCALS, SAMPLE_WITH_PAGES_BEYOND}) {
    Library library;
    errno = 7;
    EXPECT_FALSE(library.map(path)) << path;
    EXPECT_FALSE(library.is_mapped()) << path;
    EXPECT_EQ(errno, 7) << path;
  }
}

} // namespace
} // namespace abut::os
