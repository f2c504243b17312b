#include "survey/sharing.hpp"

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
  Line &shared = lines_[line];
  shared.turns += static_cast<uint32_t>(shared.last_thread != thread);
  shared.last_thread = thread;
  auto own = std::find_if(shared.uses.begin(), shared.uses.end() - 1,
                          [&](const Use &use) { return use.thread == thread || use.thread == 0; });
  const auto words = static_cast<uint8_t>((0xffU >> (7 - to)) & (0xffU << from));
  if (own->thread == 0 || (write && own->writes == 0)) own->field = field;
  own->thread = thread;
  ++own->accesses;
  own->used |= words;
  if (!write) return;
  ++own->writes;
  own->written |= words;
}

void Sharing::finish() {
  for (const auto &[number, line] : lines_)
    if (line.turns >= kFewTurns) count(line);
  lines_.clear();
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
    if (misses == 0) continue;
    if (own.field.context >= contexts_.size()) contexts_.resize(size_t{own.field.context} + 1);
    Misses &sums = contexts_[own.field.context];
    const bool same_words = (own.used & written) != 0;
    (same_words ? sums.true_sharing : sums.false_sharing) += misses;
    const FalseSharing pair{own.field, most->field};
    if (!same_words && (pairs_.size() < kMostPairs || pairs_.contains(pair)))
      pairs_[pair] += misses;
  }
}

} // namespace abut::report
