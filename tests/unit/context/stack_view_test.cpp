#include "context/stack_view.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

namespace abut::context {
namespace {

// Some pages that begin readable.
class Pages {
public:
  explicit Pages(size_t count)
      : bytes_(count * kPageBytes),
        begin_(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {}
  Pages(const Pages &) = delete;
  Pages &operator=(const Pages &) = delete;
  ~Pages() { munmap(begin_, bytes_); }

  Address at(size_t page) const { return reinterpret_cast<Address>(begin_) + page * kPageBytes; }
  void shut(size_t page) { mprotect(reinterpret_cast<void *>(at(page)), kPageBytes, PROT_NONE); }
  void shut_all() { mprotect(begin_, bytes_, PROT_NONE); }

private:
  size_t bytes_;
  void *begin_;
};

TEST(StackViewTest, ReadsWhatIsThere) {
  Pages pages(4);
  pages.shut(2);
  StackView view;
  EXPECT_TRUE(view.readable(pages.at(0) + 8, pages.at(1) + 16));
  EXPECT_FALSE(view.readable(pages.at(1), pages.at(2)));
  EXPECT_FALSE(view.readable(pages.at(1), pages.at(3))); // not on the same stack
  EXPECT_FALSE(view.readable(pages.at(1), pages.at(0))); // below
  EXPECT_FALSE(view.readable(pages.at(0), pages.at(0) + 4));
}

// A kernel that was asked once is not asked again: what is shut meanwhile is not noticed.
TEST(StackViewTest, RemembersBothEndsOfAStackThatGrowsAndShrinks) {
  for (const size_t far : {1, 2, 9}) {
    Pages pages(10);
    StackView view;
    EXPECT_TRUE(view.readable(pages.at(far), pages.at(far) + 8));
    EXPECT_TRUE(view.readable(pages.at(0), pages.at(0) + 8));
    pages.shut_all();
    EXPECT_TRUE(view.readable(pages.at(far), pages.at(far) + 8)) << far;
    EXPECT_TRUE(view.readable(pages.at(0), pages.at(0) + 8)) << far;
    EXPECT_TRUE(view.readable(pages.at(0), pages.at(far) + 8)) << far;
  }
}

TEST(StackViewTest, WhatIsShutPartsStacks) {
  Pages pages(5);
  pages.shut(2);
  StackView view;
  EXPECT_TRUE(view.readable(pages.at(4), pages.at(4) + 8));
  EXPECT_TRUE(view.readable(pages.at(0), pages.at(1)));
  EXPECT_FALSE(view.readable(pages.at(0), pages.at(4)));
  EXPECT_TRUE(view.readable(pages.at(4), pages.at(4) + 8));
}

} // namespace
} // namespace abut::context
