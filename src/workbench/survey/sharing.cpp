#include "survey/sharing.hpp"

#include "trace/rows.hpp"

#include <algorithm>

namespace abut::report {

void Sharing::use(uint32_t thread, uint64_t line, unsigned from, unsigned to, FieldOf field,
                  bool write) {
  if (!several_) {
    several_ = last_thread_ != 0 && thread != last_thread_;
    last_thread_ = thread;
    if (!several_) return;
  }
  if (++accesses_ % kEpoch == 0) finish();
  const auto words = static_cast<uint8_t>((0xffU >> (7 - to)) & (0xffU << from));
  Use &first = alone_[line];
  if (first.thread == 0 || (first.thread == thread && !lines_.contains(line)))
    return add(first, thread, words, field, write);
  const auto [found, fresh] = lines_.try_emplace(line);
  Line &shared = found.value();
  if (fresh) shared = {{first}, first.thread, 1};
  shared.turns += static_cast<uint32_t>(shared.last_thread != thread);
  shared.last_thread = thread;
  const auto own = std::find_if(shared.uses.begin(), shared.uses.end() - 1, [&](const Use &use) {
    return use.thread == thread || use.thread == 0;
  });
  add(*own, thread, words, field, write);
}

void Sharing::add(Use &use, uint32_t thread, uint8_t words, FieldOf field, bool write) {
  if (use.thread == 0 || (write && use.writes == 0)) use.field = field;
  use.thread = thread;
  ++use.accesses;
  use.used |= words;
  if (!write) return;
  ++use.writes;
  use.written |= words;
}

void Sharing::finish() {
  for (const auto &[number, line] : lines_) count(line);
  lines_.clear();
  alone_.clear();
}

void Sharing::count(const Line &line) {
  for (const Use &own : line.uses) {
    const Use *most = nullptr;
    uint64_t writes = 0;
    uint8_t written = 0;
    for (const Use &other : line.uses) {
      if (&other == &own || other.writes == 0) continue;
      writes += other.writes;
      written |= other.written;
      if (most == nullptr || other.writes > most->writes) most = &other;
    }
    const uint64_t misses = std::min<uint64_t>(own.accesses, writes);
    const bool same_words = (own.used & written) != 0;
    if (misses == 0 || (same_words && line.turns <= kHandedOn)) continue;
    Misses &sums = trace::row_of(contexts_, own.field.context);
    (same_words ? sums.true_sharing : sums.false_sharing) += misses;
    const FalseSharing pair{own.field, most->field};
    if (!same_words && (pairs_.size() < kMostPairs || pairs_.contains(pair)))
      pairs_[pair] += misses;
  }
}

} // namespace abut::report
