#include "placement/friends/learner.hpp"

#include "heap/heap.hpp"

#include <algorithm>
#include <cstring>

namespace abut::near {

using heap::Extent;
using heap::extent_of;

namespace {

bool points_into(const Extent &from, const Extent &to) {
  for (Address at = from.begin; at < from.end; at += sizeof(Address))
    if (*reinterpret_cast<const Address *>(at) - to.begin < to.end - to.begin) return true;
  return false;
}

// No larger block is read: it may have pages that the program has protected.
bool may_be_read(const Extent &block) {
  return block.begin != 0 && block.end - block.begin <= heap::kSmallMax;
}

bool are_linked(const Extent &one, const Extent &other) {
  if (!may_be_read(one) || !may_be_read(other) || one.begin == other.begin) return false;
  return points_into(one, other) || points_into(other, one);
}

// So close to the new block that no placement could better it.
constexpr size_t kClose = 512;

// Whether the block points to another that lies close to it as it is.
bool is_linked_closely(const Extent &block) {
  for (Address at = block.begin; at < block.end; at += sizeof(Address)) {
    const Address to = *reinterpret_cast<const Address *>(at);
    const bool close = to - (block.begin - kClose) < 2 * kClose + (block.end - block.begin);
    if (close && (to < block.begin || to >= block.end)) return true;
  }
  return false;
}

// How many members an object has there; where it is none of the heap's, as many as it may have.
uint16_t far_members(const heap::LocalHeap *heap, Address object, uint16_t most) {
  if (!heap::may_hold_blocks(object)) return most;
  const Address first = object + kFarMember, end = extent_of(heap, object).end;
  const size_t members = first < end ? (end - first) / sizeof(Address) : 0;
  return static_cast<uint16_t>(std::min<size_t>(members, most));
}

} // namespace

bool are_linked(heap::LocalHeap *heap, Address one, Address other) {
  return are_linked(extent_of(heap, one), extent_of(heap, other));
}

uint32_t Learner::effort_left = ~uint32_t{0};

void Learner::begin(bool plain_only) {
  expressions_ = expression_count(plain_only);
  now_ = begun_ = evaluated_ = begun_before_ = 0;
  any_linked_ = false;
  linked_closely_ = 0;
  std::memset(static_cast<void *>(scores_), 0,
              expressions_ * sizeof(Score)); // what is not used stays untouched
  std::memset(alike_met_, 0, sizeof alike_met_);
  std::memset(far_met_, 0, sizeof far_met_);
}

void Learner::record(heap::LocalHeap *heap, Address block, const Captured &captured) {
  Sample &sample = samples_[begun_++ % kPending];
  sample.block = block;
  sample.due = now_ + kDelay;
  sample.count = 0;
  const Reader reader(captured, Reader::For::trials);
  const Extent own = extent_of(heap, block);
  const size_t bytes = own.end - own.begin;
  uint32_t effort = 0;
  bool *met = alike_met_;
  for (const Alike &alike : alike_near()) {
    if (alike.first >= expressions_) break;
    effort += record(sample, bytes, heap, reader, alike, *met++);
  }
  // At last, since the far members of a table of lists would leave no room for what an index leads to.
  met = far_met_;
  for (Alike alike : alike_far()) {
    bool &any_met = *met++;
    if (!is_tried(any_met)) continue;
    alike.count = far_members(heap, reader.word(kAllExpressions[alike.first].base), alike.count);
    effort += record(sample, bytes, heap, reader, alike, any_met);
  }
  effort_left -= std::min(effort_left, effort);
}

// How many expressions were tried.
uint32_t Learner::record(Sample &sample, size_t bytes, heap::LocalHeap *heap, const Reader &reader,
                         const Alike &alike, bool &any_met) {
  if (sample.count == kCandidates || !is_tried(any_met)) return 0;
  if (!reader.may_lead(kAllExpressions[alike.first])) return 1;
  for (unsigned i = alike.first; i < unsigned{alike.first} + alike.count; ++i)
    if (sample.count < kCandidates) any_met |= record(sample, bytes, heap, reader, i);
  return 1 + alike.count;
}

// Whether it led to a block of `bytes`.
bool Learner::record(Sample &sample, size_t bytes, heap::LocalHeap *heap, const Reader &reader,
                     unsigned i) {
  Score &score = scores_[i];
  if (begun_ > kFullSamples && score.met == 0) return false;
  if (evaluated_ >= kFirstSamples && score.linked == 0) return false;
  const Address address = reader.value(kAllExpressions[i]);
  if (!heap::may_hold_blocks(address)) return false;
  const Extent extent = extent_of(heap, address);
  if (extent.begin == 0 || extent.begin == sample.block) return false;
  const bool meets = extent.end - extent.begin == bytes;
  score.met += meets;
  const bool close = sample.block - extent.begin + kClose < 2 * kClose;
  sample.candidates[sample.count++] = {address, i, close};
  return meets;
}

void Learner::evaluate(heap::LocalHeap *heap, const Sample &sample) {
  ++evaluated_;
  const Extent block = extent_of(heap, sample.block);
  if (block.begin != 0) linked_closely_ += is_linked_closely(block);
  for (unsigned i = 0; i < sample.count; ++i) {
    const Candidate &candidate = sample.candidates[i];
    Score &score = scores_[candidate.expression];
    ++score.seen;
    score.close += candidate.close;
    const Extent other = extent_of(heap, candidate.address);
    // Only a friend of the same size has a cell after it that may be reserved.
    if (!are_linked(block, other) || other.end - other.begin != block.end - block.begin) continue;
    any_linked_ = true;
    ++score.linked;
    const auto granule = static_cast<uint32_t>(other.begin / heap::Granules::kBytes);
    if (score.last == granule) continue;
    score.last = granule;
    ++score.different;
    const auto to_end = static_cast<int16_t>(other.end - candidate.address);
    if (score.ends == 0) score.to_end = to_end;
    score.ends += score.to_end == to_end;
  }
}

bool Learner::good(unsigned i) const {
  const Score &score = scores_[i];
  return score.different >= kSamples / 8 && score.linked * 2 >= score.seen;
}

// Of equally good ones the plainest: they are in that order.
int Learner::best(const Rule &rule, int but) const {
  int best = -1;
  for (unsigned i = 0; i < expressions_; ++i) {
    if (!good(i) || static_cast<int>(i) == but) continue;
    if (rule.has_banned && kAllExpressions[i] == rule.banned) continue;
    if (best < 0 || scores_[i].different > scores_[static_cast<unsigned>(best)].different)
      best = static_cast<int>(i);
  }
  return best;
}

Learner::Verdict Learner::decide(Rule &rule) const {
  const int first = best(rule, -1);
  if (first < 0) return Verdict::nothing;
  const Score &score = scores_[first];
  if (score.close * 2 > score.seen || linked_closely_ * 2 > evaluated_) return Verdict::near_anyway;
  rule.first = kAllExpressions[first];
  rule.to_end = score.to_end;
  rule.fixed_end = score.ends == score.different;
  const int second = best(rule, first);
  rule.has_second = second >= 0 && scores_[second].seen != score.seen;
  if (rule.has_second) rule.second = kAllExpressions[second];
  return Verdict::found;
}

Learner::Verdict Learner::observe(Rule &rule, heap::LocalHeap *heap, Address block,
                                  const Captured &captured) {
  ++now_;
  while (evaluated_ < begun_ && samples_[evaluated_ % kPending].due <= now_)
    evaluate(heap, samples_[evaluated_ % kPending]);
  if (evaluated_ >= kFirstSamples && !any_linked_) return Verdict::nothing;
  if (evaluated_ >= kSamples) return decide(rule);
  if (begun_ - evaluated_ < kPending && begun_ < kSamples && now_ % 2 == 0 && effort_left != 0)
    record(heap, block, captured);
  return Verdict::undecided;
}

} // namespace abut::near
