// Each test finds the heap as a young process has it, whichever came before: nothing is kept, and no peak remembered.
#include "heap/heap.hpp"
#include "heap/page_store.hpp"

#include <gtest/gtest.h>
#include <new>

namespace abut::heap {
namespace {

class FreshStart : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo &) override {
    trim();
    const size_t taken = pages_taken.value(), resident = retention.resident();
    new (&pages_taken) Gauge;
    pages_taken.add(taken);
    new (&retention) Retention;
    retention.add_resident(resident);
  }
};

const bool kIsListening = [] {
  testing::UnitTest::GetInstance()->listeners().Append(new FreshStart);
  return true;
}();

} // namespace
} // namespace abut::heap
