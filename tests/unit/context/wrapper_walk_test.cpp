#include "context/wrapper_walk.hpp"

#include "context/chain_table.hpp"
#include "context/decoder.hpp"
#include "context/entry_stub.hpp"
#include "context/wrapper_cases.h"

#include <cstdlib>
#include <gtest/gtest.h>

extern "C" const WrapperCase cases_plain[], cases_light[], cases_bare[], cases_quick[],
    cases_framed[], cases_small[], cases_hardened[];

#ifdef ABUT_CLANG_CASES
extern "C" const WrapperCase cases_clang_O0[], cases_clang_O1[], cases_clang_O2[], cases_clang_O3[],
    cases_clang_Os[];
#endif

namespace {
abut::context::WalkEnd last;
abut::context::Entry *last_entry;
} // namespace

ABUT_ENTRY_STUB_1(case_malloc, case_malloc_at);

extern "C" __attribute__((visibility("hidden"), used)) void *
case_malloc_at(size_t bytes, const uintptr_t *sp, uintptr_t rbp) {
  last_entry = abut::context::chain_table.find({sp, rbp});
  last = abut::context::walk_wrapper(*sp, abut::context::find_procedure(*sp));
  return std::malloc(bytes);
}

namespace abut::context {
namespace {

class WrapperWalk : public testing::TestWithParam<const WrapperCase *> {};

TEST_P(WrapperWalk, TellsWrappersFromThoseWhoKnowTheBlock) {
  map_decoder();
  if (const char *reason = prepare_decoder()) GTEST_SKIP() << reason;
  for (const WrapperCase *one = GetParam(); one->call; ++one) {
    one->call();
    EXPECT_EQ(last == WalkEnd::wrapper, one->expected == PASSES_ON)
        << one->name << ": " << static_cast<int>(last);
    EXPECT_EQ(last == WalkEnd::gives_back, one->expected == GIVES_BACK)
        << one->name << ": " << static_cast<int>(last);
  }
}

TEST_P(WrapperWalk, MakesTheChainGoOnToWhoeverCalledTheWrapper) {
  map_decoder();
  if (const char *reason = prepare_decoder()) GTEST_SKIP() << reason;
  for (const WrapperCase *one = GetParam(); one->call; ++one) {
    one->call();
    if (one->expected == PASSES_ON)
      EXPECT_GE(last_entry->depth, 2) << one->name;
    else if (one->expected == GIVES_BACK)
      EXPECT_EQ(last_entry->depth, 2) << one->name;
    else
      EXPECT_EQ(last_entry->depth, 1) << one->name;
  }
}

INSTANTIATE_TEST_SUITE_P(Plain, WrapperWalk, testing::Values(cases_plain));
INSTANTIATE_TEST_SUITE_P(Light, WrapperWalk, testing::Values(cases_light));
INSTANTIATE_TEST_SUITE_P(Bare, WrapperWalk, testing::Values(cases_bare));
INSTANTIATE_TEST_SUITE_P(Framed, WrapperWalk, testing::Values(cases_framed));
INSTANTIATE_TEST_SUITE_P(Quick, WrapperWalk, testing::Values(cases_quick));
INSTANTIATE_TEST_SUITE_P(Small, WrapperWalk, testing::Values(cases_small));
INSTANTIATE_TEST_SUITE_P(Hardened, WrapperWalk, testing::Values(cases_hardened));
#ifdef ABUT_CLANG_CASES
INSTANTIATE_TEST_SUITE_P(Clang, WrapperWalk,
                         testing::Values(cases_clang_O0, cases_clang_O1, cases_clang_O2,
                                         cases_clang_O3, cases_clang_Os));
#endif

} // namespace
} // namespace abut::context
