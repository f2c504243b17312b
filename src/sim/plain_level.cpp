#include "sim/plain_level.hpp"

#include <algorithm>
#include <bit>

namespace abut::sim {
namespace {

constexpr uint64_t kNoLine = ~uint64_t{0};
constexpr size_t kPiece = 2048; // references; what they come to fits a cache

} // namespace

bool PlainLevel::fits(const std::vector<LevelSettings> &levels) {
  return std::all_of(levels.begin(), levels.end(), [&levels](const LevelSettings &level) {
    return level.inclusion == Inclusion::neither && level.prefetch == Prefetch::none &&
           level.line == levels.front().line && level.sector_bytes() == level.line;
  });
}

bool PlainLevel::fits(const LevelSettings &level) {
  return level.policy == Policy::lru && level.ways_in_set() <= PlainSets::kMostWays &&
         level.write_back && level.write_allocate;
}

PlainLevel::PlainLevel(const LevelSettings &settings)
    : line_shift_(static_cast<unsigned>(std::countr_zero(settings.line))),
      sets_(settings.sets(), settings.ways_in_set()),
      classes_(settings.classify ? std::make_unique<MissClasses>(settings.lines()) : nullptr),
      gathered_(kPiece), newest_(settings.sets() & (~settings.sets() + 1), kNoLine) {}

// ---- from the program ----

void PlainLevel::take(const References &references) {
  for (size_t done = 0; done < references.count(); done += kPiece) {
    const References piece = references.part(done, std::min(kPiece, references.count() - done));
    count_kinds(piece.kinds, counts.accesses);
    const bool owned = !piece.owners.empty();
    const size_t count = owned ? gather<true>(piece) : gather<false>(piece);
    run(std::span(gathered_).first(count), owned);
  }
}

// References in a row to one line are one use of it. A use of the line that was used last in its set changes nothing, but
// that a write makes it dirty. Which references end a use that is an errand is found without a branch, since nothing
// foretells it.
template <bool kOwned>
size_t PlainLevel::gather(const References &references) {
  const size_t end = references.count();
  uint64_t *const newest = newest_.data();
  const uint64_t mask = newest_.size() - 1;
  // Miss classes go by the order of all lines, not of those in a set: then nothing is like what was noted.
  const uint64_t noted_as = classes_ ? kNoLine : 0;
  const unsigned shift = line_shift_;
  uint64_t spare = 0;
  Errand *gathered = gathered_.data();
  size_t count = 0;
  uint64_t last = kNoLine;
  Errand use;
  Extent extent = extent_of(references.addresses[0], references.sizes[0]);
  for (size_t i = 0; i < end; ++i) {
    const uint64_t line = extent.first >> shift;
    const uint64_t through = extent.last >> shift;
    const uint64_t bits = Errand::bits_of(line, references.kinds[i]);
    const bool again = line == last;
    use.bits = again ? use.bits | (bits & Errand::kStains) : bits;
    if constexpr (kOwned) use.owner = again ? use.owner : references.owners[i];
    if (i + 1 < end) extent = extent_of(references.addresses[i + 1], references.sizes[i + 1]);
    const bool ends = (i + 1 == end) | (extent.first >> shift != line) | (through != line);
    uint64_t &noted = newest[line & mask];
    const bool idle = (noted == line) & ((use.bits & Errand::kStains) == 0);
    gathered[count] = use;
    count += static_cast<size_t>(ends & !idle);
    *(ends ? &noted : &spare) = line | noted_as;
    last = line;
    if (through != line) [[unlikely]] {
      last = kNoLine;
      const Owner owner = kOwned ? references.owners[i] : 0;
      count = straddle(count, {bits, owner}, through - line, end - i);
      gathered = gathered_.data();
    }
  }
  return count;
}

// The further lines of a reference. `errand`: what it is to the first one; `more`: references that may need room.
size_t PlainLevel::straddle(size_t count, Errand errand, uint64_t further, size_t more) {
  if (gathered_.size() < count + further + more) gathered_.resize(count + further + more);
  counts.accesses[errand.kind()] += further;
  for (; further != 0; --further) {
    errand.bits += uint64_t{1} << Entry::kLineShift;
    gathered_[count++] = errand;
    newest_[errand.line() & (newest_.size() - 1)] = errand.line() | (classes_ ? kNoLine : 0);
  }
  return count;
}

// ---- from levels above ----

void PlainLevel::take(const Errands &errands) {
  const std::array<uint64_t, kKinds> asked = count_kinds(errands.list);
  for (size_t kind = 0; kind < kKinds; ++kind) counts.accesses[kind] += asked[kind];
  run(errands.list, errands.owned);
}

void PlainLevel::reference(const Request &request) {
  run_one(request, Errand::bits_of(request.address >> line_shift_, request.kind));
}

bool PlainLevel::fetch(const Request &request, Purpose) {
  run_one(request,
          Errand::bits_of(request.address >> line_shift_, request.kind) & ~Errand::kStains);
  return false;
}

void PlainLevel::write_back(const Request &request) {
  const uint64_t line = request.address >> line_shift_;
  const Errand errand = Errand::write_back(Errand::bits_of(line, request.kind));
  run({&errand, 1}, false);
}

void PlainLevel::run_one(const Request &request, uint64_t bits) {
  const Errand errand{bits, request.owner};
  ++counts.accesses[request.kind];
  run({&errand, 1}, request.owner != 0);
}

// ---- running them ----

void PlainLevel::run(std::span<const Errand> errands, bool owned) {
  if (errands.empty()) return;
  if (missed_.size() < errands.size()) {
    missed_.resize(errands.size());
    handed_.resize(2 * errands.size());
  }
  PlainSets::Left left;
  const size_t count = sets_.run(errands, handed_.data(), missed_.data(), left);
  counts.evictions[0] += left.all - left.of_allocator;
  counts.evictions[1] += left.of_allocator;
  counts.write_backs[0] += left.dirty - left.dirty_of_allocator;
  counts.write_backs[1] += left.dirty_of_allocator;
  if (classes_) classify(errands);
  if (count == 0) return;
  const std::span<const Errand> handed = std::span(handed_).first(count);
  const std::array<uint64_t, kKinds> misses = count_kinds(handed);
  for (size_t kind = 0; kind < kKinds; ++kind) counts.misses[kind] += misses[kind];
  if (owned)
    for (const Errand &errand : handed) count_owner(counts.misses_by_owner, errand.owner);
  below->take({handed, line_bytes(), owned});
}

void PlainLevel::classify(std::span<const Errand> errands) {
  for (size_t i = 0; i < errands.size(); ++i) {
    if (errands[i].is_write_back()) continue;
    const MissClass why = classes_->use(errands[i].line(), true);
    counts.classes[index_of(side_of(errands[i].kind()))][static_cast<size_t>(why)] += missed_[i];
  }
}

} // namespace abut::sim
