// Preloaded, the library must serve every entry point: one that falls through to libc mixes two
// heaps.
#include "support/allocator.hpp"

#include <cstdlib>
#include <gtest/gtest.h>
#include <string>

namespace {

std::string home_of(const void *address) {
  Dl_info info{};
  return dladdr(address, &info) != 0 ? info.dli_fname : "(nowhere)";
}

// The dynamic linker passes over a library that it cannot load: every test would then pass for nothing.
TEST(EntryPoint, IsThereWhenAPreloadIsAskedFor) {
  if (std::getenv("LD_PRELOAD") == nullptr) GTEST_SKIP() << "no preload is asked for";
  EXPECT_TRUE(support::runs_under_abut()) << std::getenv("LD_PRELOAD") << " was not loaded";
}

class EveryEntryPoint : public testing::TestWithParam<const char *> {};

TEST_P(EveryEntryPoint, ComesFromTheLibrary) {
  if (!support::runs_under_abut()) GTEST_SKIP() << "the library is not preloaded";
  void *entry = dlsym(RTLD_DEFAULT, GetParam());
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(home_of(entry), home_of(dlsym(RTLD_DEFAULT, "abut_version")));
}

INSTANTIATE_TEST_SUITE_P(OfC, EveryEntryPoint,
                         testing::Values("malloc", "calloc", "realloc", "reallocarray", "free",
                                         "free_sized", "free_aligned_sized", "aligned_alloc",
                                         "posix_memalign", "memalign", "valloc", "pvalloc",
                                         "malloc_usable_size", "malloc_trim", "mallinfo",
                                         "mallinfo2", "malloc_info", "malloc_stats", "mallopt"),
                         [](const auto &tested) { return std::string(tested.param); });

INSTANTIATE_TEST_SUITE_P(OfJemalloc, EveryEntryPoint,
                         testing::Values("mallocx", "rallocx", "xallocx", "sallocx", "dallocx",
                                         "sdallocx", "nallocx"),
                         [](const auto &tested) { return std::string(tested.param); });

// The mangled names of the Itanium C++ ABI: nw/na new, dl/da delete; m size, St11align_val_t
// alignment, RKSt9nothrow_t nothrow.
INSTANTIATE_TEST_SUITE_P(
    OfCxx, EveryEntryPoint,
    testing::Values("_Znwm", "_Znam", "_ZnwmRKSt9nothrow_t", "_ZnamRKSt9nothrow_t",
                    "_ZnwmSt11align_val_t", "_ZnamSt11align_val_t",
                    "_ZnwmSt11align_val_tRKSt9nothrow_t", "_ZnamSt11align_val_tRKSt9nothrow_t",
                    "_ZdlPv", "_ZdaPv", "_ZdlPvm", "_ZdaPvm", "_ZdlPvRKSt9nothrow_t",
                    "_ZdaPvRKSt9nothrow_t", "_ZdlPvSt11align_val_t", "_ZdaPvSt11align_val_t",
                    "_ZdlPvmSt11align_val_t", "_ZdaPvmSt11align_val_t",
                    "_ZdlPvSt11align_val_tRKSt9nothrow_t", "_ZdaPvSt11align_val_tRKSt9nothrow_t"),
    [](const auto &tested) { return std::string(tested.param); });

// What keeps libraries to the preloaded heap, and what leaves the program all keys.
INSTANTIATE_TEST_SUITE_P(OfTheSystem, EveryEntryPoint,
                         testing::Values("dlopen", "dlmopen", "pthread_key_create"),
                         [](const auto &tested) { return std::string(tested.param); });

} // namespace
