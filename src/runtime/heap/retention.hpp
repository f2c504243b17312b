// How many free pages may stay resident, in the hope that they are soon asked for again.
//
// At most `retain_mb`, or a quarter of the most pages that were ever taken, whichever is more; and beyond that as many as lately
// went back to the kernel only to be taken again. What is above goes back at once, the rest when it has been free for
// `decay_ms`. Where memory comes from the kernel although so much is free, what is free does not serve: as many pages go back
// as are taken, until those that are taken and those that are free are no more than were ever taken at once, and `retain_mb`.
// So the heap is never larger for what it keeps, and a program that frees and allocates to and fro still finds what it freed.
// But where the heap does not grow, and what goes back so is taken again, the free pages are too few for blocks of many sizes to
// find rows of them: up to a sixth more may stay.
#pragma once

#include "base/options.hpp"
#include "heap/gauge.hpp"
#include "os/os.hpp"

#include <algorithm>
#include <bit>

namespace abut::heap {

// Milliseconds that the heap may spend at once on giving back what has waited for its time.
inline constexpr uint64_t kMostAtOnce = 5;

// What free pages are kept as. Those of one kind do not serve requests for the other, and a mapping serves none that is
// longer, or less than half as long: a block that grows by doubling does not reuse what it gave back.
enum class Kept : uint8_t { pages, mappings };

class Retention {
public:
  // In pages: what may stay in any case, and what may just now.
  static size_t least() {
    return static_cast<size_t>(option_value(Option::retain_mb)) * MiB / kPageBytes;
  }
  size_t limit() const {
    return std::max(least(), pages_taken.highest() / 4) + earned(Kept::pages) +
           earned(Kept::mappings);
  }
  size_t limit_while_growing() const {
    const size_t taken = pages_taken.value(), most = pages_taken.highest();
    if (taken >= most) return least();
    return least() + most - taken + std::min(earned(Kept::pages), most / 6);
  }
  // Whether as many pages are taken as never before.
  static bool is_growing() { return pages_taken.value() >= pages_taken.highest(); }

  // Free pages that are resident, of all kinds.
  size_t resident() const { return resident_.load(std::memory_order_relaxed); }
  void add_resident(size_t pages) { resident_.fetch_add(pages, std::memory_order_relaxed); }
  void subtract_resident(size_t pages) { resident_.fetch_sub(pages, std::memory_order_relaxed); }
  bool exceeded() const { return resident() > limit(); }

  // Pages went back because too many were resident.
  void gave_back(size_t pages, Kept kind = Kept::pages) {
    regretted_[place(pages, kind)].fetch_add(pages, std::memory_order_relaxed);
  }

  // Pages come from the kernel. If as many of the kind have just gone there, that was a mistake.
  void took(size_t pages, Kept kind = Kept::pages) {
    auto &regretted = regretted_[place(pages, kind)];
    const size_t lost = std::min(regretted.load(std::memory_order_relaxed), pages);
    if (lost == 0) return;
    regretted.fetch_sub(lost, std::memory_order_relaxed);
    const size_t most = pages_taken.highest() - pages_taken.highest() / 4;
    earned_[static_cast<size_t>(kind)].store(std::min(earned(kind) + lost, most),
                                             std::memory_order_relaxed);
  }

  // Whether free pages are to be looked at; `now` in milliseconds. True once each `decay_ms` / 2 at most.
  bool due(uint64_t now) {
    const auto period = static_cast<uint64_t>(option_value(Option::decay_ms)) / 2;
    uint64_t last = looked_at_.load(std::memory_order_relaxed);
    if (now - last < period || !looked_at_.compare_exchange_strong(last, now)) return false;
    for (auto &pages : regretted_) pages.store(0, std::memory_order_relaxed);
    for (auto &earned : earned_) earned.store(earned.load() / 2, std::memory_order_relaxed);
    return true;
  }

private:
  size_t earned(Kept kind) const {
    return earned_[static_cast<size_t>(kind)].load(std::memory_order_relaxed);
  }
  static size_t place(size_t pages, Kept kind) {
    return kind == Kept::pages ? 0 : static_cast<size_t>(std::bit_width(pages));
  }

  std::atomic<size_t> resident_{0};
  std::atomic<size_t> earned_[2] = {}; // as pages, and as mappings
  std::atomic<size_t> regretted_[8 * sizeof(size_t)] =
      {}; // of pages, and of mappings by their length
  std::atomic<uint64_t> looked_at_{0};
};

extern constinit Retention retention;

} // namespace abut::heap
