#include "placement/pools/usage.hpp"

#include "base/options.hpp"
#include "heap/heap.hpp"
#include "os/message.hpp"
#include "placement/place.hpp"

#include <bit>

namespace abut::group {

constinit Usage usage;
bool sampling = false;

namespace {

constexpr PoolId kElsewhere = kMostPools + 1;

// The pool of the small block at an address, kNoPool in the plain heap.
PoolId pool_at(Address address) {
  const heap::Page *page = heap::page_at(address);
  // Another thread may free the page's last block meanwhile.
  const heap::LocalHeap *owner = page != nullptr ? heap::load_plainly(page->owner) : nullptr;
  if (owner == nullptr) return kElsewhere;
  return owner->is_side() ? static_cast<PoolId>(owner->side_number) : kNoPool;
}

} // namespace

void Usage::visit(PoolId pool, Address line, unsigned word) {
  Line &known = lines_[line * 0x9e3779b97f4a7c15U >> (64 - std::countr_zero(kLines))];
  if (known.number != line) {
    // Another line's place: that one is counted as it is.
    count(known);
    known = {line, pool, 0};
  }
  known.words = static_cast<uint8_t>(known.words | 1U << word);
  if (line == last_line_) return;
  ++uses_[pool].visits;
  if (last_line_ != 0) ++steps_[last_pool_][pool];
  last_line_ = line;
  last_pool_ = pool;
}

void Usage::count(Line &line) {
  if (line.number == 0) return;
  ++uses_[line.pool].lines;
  uses_[line.pool].words += static_cast<uint64_t>(std::popcount(line.words));
  line = {};
}

void Usage::take(const sample::Accesses &accesses) {
  last_line_ = 0;
  for (unsigned i = 0; i < accesses.count; ++i) {
    const Address address = accesses.at[i];
    const PoolId pool = pool_at(address);
    if (pool <= kMostPools)
      visit(pool, address / kLineBytes,
            static_cast<unsigned>(address % kLineBytes / sizeof(uint64_t)));
  }
  // The last visit leads nowhere: a share of departures is one of those that were seen.
  if (last_line_ != 0) --uses_[last_pool_].visits;
  for (Line &line : lines_) count(line);
}

Together Usage::after(PoolId from, PoolId to) const {
  if (from == kNoPool || to == kNoPool) return Together::unknown;
  const uint64_t all = departures(from), there = steps_[from][to];
  if (all < kEnoughVisits) return Together::unknown;
  if (there * 2 >= all) return Together::mostly;
  return there * 16 < all ? Together::seldom : Together::unknown;
}

bool Usage::is_thin(PoolId pool) const {
  const PoolUse &own = uses_[pool], &plain = uses_[kNoPool];
  if (own.lines < kEnoughLines || plain.lines < kEnoughLines) return false;
  return own.words * plain.lines * 2 < plain.words * own.lines;
}

namespace {

void explain_pool(PoolId pool) {
  const PoolUse &use = usage.of(pool);
  if (use.lines == 0) return;
  os::Message text;
  text << "abut: sampled: ";
  if (pool == kNoPool)
    text << "the plain heap";
  else
    text << "pool " << uint64_t{pool};
  text << ": " << use.visits << " visits to lines, " << use.words * 100 / (use.lines * 8)
       << "% of their bytes used";
  PoolId most = kNoPool;
  uint64_t steps = 0;
  for (PoolId to = 0; to <= kMostPools; ++to)
    if (to != pool && usage.steps(pool, to) > steps) steps = usage.steps(pool, most = to);
  if (steps != 0) {
    text << "; the next of another is of " << (most == kNoPool ? "the plain heap" : "pool ");
    if (most != kNoPool) text << uint64_t{most};
    text << " in " << steps * 100 / usage.departures(pool) << "%";
  }
  if (pool != kNoPool && usage.is_thin(pool)) text << "; it does not pay";
  text << "\n";
  text.write();
}

// Before the heap explains its groups.
__attribute__((destructor(102))) void explain_sampling() {
  if (!sampling) return;
  sample::stop();
  if (option_value(Option::explain) == 0) return;
  const sample::Counts &counts = sample::counts();
  const auto ended = [&](sample::End why) { return counts.ended[static_cast<unsigned>(why)]; };
  os::Message text;
  text << "abut: sampled: " << counts.accesses << " accesses to the heap, of " << counts.steps
       << " instructions in " << counts.bursts << " bursts that took " << counts.nanoseconds / 1000
       << " us; ended early: " << ended(sample::End::system_call) << " by a system call, "
       << ended(sample::End::foreign) << " by code of no file, "
       << ended(sample::End::not_known) + ended(sample::End::restarting) << " otherwise\n";
  text.write();
  for (PoolId pool = 0; pool <= kMostPools; ++pool) explain_pool(pool);
}

} // namespace

void start_sampling() {
  if (!place_in_force.is_sampled) return;
  const char *reason = sample::start([](const sample::Accesses &accesses) { usage.take(accesses); },
                                     static_cast<uint64_t>(option_value(Option::sample_us)));
  sampling = reason == nullptr;
  if (sampling || option_value(Option::explain) == 0) return;
  os::Message text;
  text << "abut: accesses are not sampled: " << reason << "\n";
  text.write();
}

} // namespace abut::group
