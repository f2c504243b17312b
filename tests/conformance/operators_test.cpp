// operator new and delete in every form of C++17 and C++20 [new.delete], and std::pmr on top of
// them.
#include "conformance/sizes.hpp"
#include "support/opaque.hpp"
#include "support/pattern.hpp"

#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>
#include <memory>
#include <memory_resource>
#include <new>
#include <ostream>
#include <string>
#include <vector>

using support::opaque;

namespace {

bool aligned_to(const void *block, std::size_t alignment) {
  return reinterpret_cast<std::uintptr_t>(block) % alignment == 0;
}

constexpr std::size_t kDefault = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

struct Form {
  const char *name;
  void *(*allocate)(std::size_t size, std::size_t alignment);
  void (*release)(void *block, std::size_t size, std::size_t alignment);
  bool aligned;
};

// How GoogleTest names a parameter: by default it would print the bytes.
void PrintTo(const Form &form, std::ostream *out) { *out << form.name; }

using Align = std::align_val_t;

// Each way to allocate with each way to release that may follow it.
const Form kForms[] = {
    {"Plain", [](std::size_t n, std::size_t) { return ::operator new(n); },
     [](void *p, std::size_t, std::size_t) { ::operator delete(p); }, false},
    {"Sized", [](std::size_t n, std::size_t) { return ::operator new(n); },
     [](void *p, std::size_t n, std::size_t) { ::operator delete(p, n); }, false},
    {"Nothrow", [](std::size_t n, std::size_t) { return ::operator new(n, std::nothrow); },
     [](void *p, std::size_t, std::size_t) { ::operator delete(p, std::nothrow); }, false},
    {"Array", [](std::size_t n, std::size_t) { return ::operator new[](n); },
     [](void *p, std::size_t, std::size_t) { ::operator delete[](p); }, false},
    {"SizedArray", [](std::size_t n, std::size_t) { return ::operator new[](n); },
     [](void *p, std::size_t n, std::size_t) { ::operator delete[](p, n); }, false},
    {"NothrowArray", [](std::size_t n, std::size_t) { return ::operator new[](n, std::nothrow); },
     [](void *p, std::size_t, std::size_t) { ::operator delete[](p, std::nothrow); }, false},
    {"Aligned", [](std::size_t n, std::size_t a) { return ::operator new(n, Align(a)); },
     [](void *p, std::size_t, std::size_t a) { ::operator delete(p, Align(a)); }, true},
    {"AlignedSized", [](std::size_t n, std::size_t a) { return ::operator new(n, Align(a)); },
     [](void *p, std::size_t n, std::size_t a) { ::operator delete(p, n, Align(a)); }, true},
    {"AlignedNothrow",
     [](std::size_t n, std::size_t a) { return ::operator new(n, Align(a), std::nothrow); },
     [](void *p, std::size_t, std::size_t a) { ::operator delete(p, Align(a), std::nothrow); },
     true},
    {"AlignedArray", [](std::size_t n, std::size_t a) { return ::operator new[](n, Align(a)); },
     [](void *p, std::size_t, std::size_t a) { ::operator delete[](p, Align(a)); }, true},
    {"AlignedSizedArray",
     [](std::size_t n, std::size_t a) { return ::operator new[](n, Align(a)); },
     [](void *p, std::size_t n, std::size_t a) { ::operator delete[](p, n, Align(a)); }, true},
    {"AlignedNothrowArray",
     [](std::size_t n, std::size_t a) { return ::operator new[](n, Align(a), std::nothrow); },
     [](void *p, std::size_t, std::size_t a) { ::operator delete[](p, Align(a), std::nothrow); },
     true},
};

class EveryForm : public testing::TestWithParam<Form> {};

TEST_P(EveryForm, GivesUsableMemoryOfEachSize) {
  const Form &form = GetParam();
  for (const std::size_t size : conformance::telling_sizes(std::size_t{1} << 20)) {
    const std::size_t alignment = form.aligned ? 64 : kDefault;
    void *block = form.allocate(size, alignment);
    ASSERT_NE(block, nullptr) << size;
    EXPECT_TRUE(aligned_to(block, form.aligned ? 64 : conformance::least_alignment(size))) << size;
    support::fill(block, size, size);
    EXPECT_TRUE(support::holds(block, size, size));
    form.release(block, size, alignment);
  }
}

TEST_P(EveryForm, GivesADistinctBlockForSizeZero) {
  const Form &form = GetParam();
  void *one = form.allocate(opaque(std::size_t{0}), kDefault);
  void *two = form.allocate(opaque(std::size_t{0}), kDefault);
  EXPECT_NE(one, nullptr);
  EXPECT_NE(two, nullptr);
  EXPECT_NE(one, two);
  form.release(one, 0, kDefault);
  form.release(two, 0, kDefault);
}

TEST_P(EveryForm, HonoursEveryAlignment) {
  const Form &form = GetParam();
  const std::size_t largest = form.aligned ? std::size_t{1} << 30 : kDefault;
  for (std::size_t alignment = 1; alignment <= largest; alignment *= 2)
    for (const std::size_t size : {1u, 40u, 5000u, 300'000u}) {
      void *block = form.allocate(size, alignment);
      ASSERT_NE(block, nullptr) << size << " aligned " << alignment;
      EXPECT_TRUE(aligned_to(block, form.aligned ? alignment : conformance::least_alignment(size)))
          << size << " aligned " << alignment;
      support::fill(block, size, alignment);
      form.release(block, size, alignment);
    }
}

TEST_P(EveryForm, AcceptsNullForRelease) {
  GetParam().release(nullptr, 8, kDefault);
  SUCCEED();
}

TEST_P(EveryForm, GivesTheMemoryBack) {
  for (int round = 0; round < 30'000; ++round) { // 30 GB in all
    const std::size_t size = std::size_t{1} << 20;
    void *block = GetParam().allocate(opaque(size), 64);
    GetParam().release(opaque(block), size, 64);
  }
}

INSTANTIATE_TEST_SUITE_P(Operators, EveryForm, testing::ValuesIn(kForms),
                         [](const auto &tested) { return std::string(tested.param.name); });

struct alignas(256) Wide {
  char bytes[256];
};

TEST(NewExpression, AlignsOverAlignedTypes) {
  for (int i = 0; i < 100; ++i) {
    const auto one = std::make_unique<Wide>();
    const auto several = std::make_unique<Wide[]>(opaque(std::size_t{7}));
    EXPECT_TRUE(aligned_to(one.get(), 256));
    EXPECT_TRUE(aligned_to(several.get(), 256));
  }
}

TEST(NewExpression, ThrowsForAnArrayLengthNoMemoryHolds) {
  // The standard has a type of its own for it, which clang leaves out.
  EXPECT_THROW(opaque(new long[opaque(SIZE_MAX / 4)]), std::bad_alloc);
  EXPECT_THROW(opaque(new char[opaque(SIZE_MAX / 2 - 5000)]), std::bad_alloc);
}

TEST(MemoryResource, NewDeleteHonoursSizeAndAlignment) {
  std::pmr::memory_resource *resource = std::pmr::new_delete_resource();
  for (std::size_t alignment = 1; alignment <= 1u << 20; alignment *= 2)
    for (const std::size_t size : {1u, 33u, 1000u, 70'000u}) {
      void *block = resource->allocate(size, alignment);
      EXPECT_TRUE(aligned_to(block, alignment)) << size << " aligned " << alignment;
      support::fill(block, size, alignment);
      resource->deallocate(block, size, alignment);
    }
}

TEST(MemoryResource, CarriesPoolsAndContainers) {
  std::pmr::unsynchronized_pool_resource pool(std::pmr::new_delete_resource());
  std::pmr::vector<std::pmr::string> words(&pool);
  for (int i = 0; i < 20'000; ++i)
    words.emplace_back(std::string(static_cast<std::size_t>(i % 97), 'x'));
  for (int i = 0; i < 20'000; ++i)
    ASSERT_EQ(words[static_cast<std::size_t>(i)].size(), static_cast<std::size_t>(i % 97));
}

} // namespace
