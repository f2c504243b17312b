#include "sim/tree/tree.hpp"

#include "sim/plain/plain_level.hpp"

#include <algorithm>
#include <vector>

namespace abut::sim {
namespace {

// References are taken in pieces of so many, so that columns which are not given can be made up.
constexpr size_t kPiece = 4096;
const std::vector<uint32_t> kOnes(kPiece, 1);
const std::vector<uint32_t> kZeros(kPiece, 0);
const std::vector<Kind> kNoKinds(kPiece, 0);

// Compared with themselves, one further.
bool one_thread(std::span<const uint32_t> threads) {
  return std::equal(threads.begin() + 1, threads.end(), threads.begin());
}

} // namespace

trace::Result<std::unique_ptr<Tree>> Tree::make(std::vector<LevelSettings> levels) {
  if (std::optional<trace::Error> error = check(levels)) return *error;
  return std::unique_ptr<Tree>(new Tree(std::move(levels)));
}

Tree::Tree(std::vector<LevelSettings> levels)
    : settings_(std::move(levels)), all_(settings_.size()), shared_(settings_.size()),
      may_be_plain_(PlainLevel::fits(settings_)) {
  for (const LevelSettings &level : settings_) {
    any_own_ |= level.per_thread;
    any_prefetch_ |= level.prefetch != Prefetch::none;
  }
  last_tops_ = add_thread();
}

// The level that a thread uses, made when it is first asked for, with all below it.
Level *Tree::instance(size_t number, Instances &own) {
  const LevelSettings &level = settings_[number];
  Level *&place = level.per_thread ? own[number] : shared_[number];
  if (place != nullptr) return place;
  if (may_be_plain_ && PlainLevel::fits(level))
    all_[number].push_back(std::make_unique<PlainLevel>(level));
  else
    all_[number].push_back(make_level(level, clock_));
  place = all_[number].back().get();
  const LevelSettings *below = find(settings_, level.below);
  place->below =
      below == nullptr ? &memory_ : instance(static_cast<size_t>(below - settings_.data()), own);
  place->below->above.push_back(place);
  return place;
}

Tree::Tops Tree::add_thread() {
  Instances own(settings_.size());
  Tops tops{};
  for (size_t number = 0; number < settings_.size(); ++number) {
    const LevelSettings &level = settings_[number];
    if (!is_top(settings_, level)) continue;
    Level *top = instance(number, own);
    if (level.serves != Serves::allocator) tops[index_of(Side::application)] = top;
    if (level.serves != Serves::application) tops[index_of(Side::allocator)] = top;
  }
  threads_.push_back(tops);
  return tops;
}

// The first thread that shows has what was made before any did.
Tree::Tops Tree::tops_of(uint32_t thread) {
  const bool first = thread_numbers_.empty();
  if (!any_own_ || (thread == last_thread_ && !first)) return last_tops_;
  const size_t next = first ? 0 : threads_.size() % kMostThreads;
  const auto [found, fresh] = thread_numbers_.try_emplace(thread, next);
  if (fresh && next == threads_.size()) add_thread();
  last_thread_ = thread;
  last_tops_ = threads_[found->second];
  return last_tops_;
}

void Tree::take(const References &references) {
  for (size_t done = 0; done < references.count(); done += kPiece) {
    const size_t length = std::min(kPiece, references.count() - done);
    References piece = references.part(done, length);
    if (piece.sizes.empty()) piece.sizes = std::span(kOnes).first(length);
    if (piece.kinds.empty()) piece.kinds = std::span(kNoKinds).first(length);
    if (piece.threads.empty()) piece.threads = std::span(kZeros).first(length);
    take_piece(piece);
  }
}

// Stretches of one thread, of the same side or where sides do not matter, go to their level at once.
void Tree::take_piece(const References &references) {
  size_t done = 0;
  while (done < references.count()) {
    Tops tops = tops_of(references.threads[done]);
    Level *top = tops[index_of(side_of(references.kinds[done]))];
    const bool all = tops[0] == tops[1] && (!any_own_ || one_thread(references.threads));
    size_t end = all ? references.count() : done + 1;
    while (end < references.count() && goes_on(references, end, tops)) ++end;
    if (any_prefetch_)
      for (size_t i = done; i < end; ++i) take_one(references[i], *top);
    else
      top->take(references.part(done, end - done));
    done = end;
  }
  count(references);
}

bool Tree::goes_on(const References &references, size_t i, const Tops &tops) const {
  const bool same_thread = !any_own_ || references.threads[i] == references.threads[i - 1];
  const bool same_side =
      tops[0] == tops[1] || side_of(references.kinds[i]) == side_of(references.kinds[i - 1]);
  return same_thread && same_side;
}

void Tree::take_one(const Reference &reference, Level &top) {
  ++clock_.now;
  const Extent extent = extent_of(reference.address, reference.size);
  const uint64_t line = top.line_bytes();
  for (uint64_t at = extent.first; at <= extent.last;) {
    const uint64_t end = std::min((at | (line - 1)) + 1, extent.last + 1);
    top.reference({at, static_cast<uint32_t>(end - at), static_cast<Kind>(reference.kind % kKinds),
                   reference.owner});
    at = end;
  }
}

void Tree::count(const References &references) {
  count_kinds(references.kinds, references_);
  for (const Owner owner : references.owners) count_owner(by_owner_, owner);
}

Counts Tree::counts(size_t level) const {
  Counts sum;
  for (const auto &one : all_[level]) sum += one->counts;
  return sum;
}

} // namespace abut::sim
