#include "sim/plain/plain_level.hpp"

#include <algorithm>
#include <bit>

namespace abut::sim {

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
      uses_(line_shift_, settings.sets(), settings.classify) {}

// ---- from the program ----

void PlainLevel::take(const References &references) {
  for (size_t done = 0; done < references.count(); done += LineUses::kMost) {
    const size_t length = std::min(LineUses::kMost, references.count() - done);
    const References piece = references.part(done, length);
    count_kinds(piece.kinds, counts.accesses);
    run(uses_.of(piece, counts.accesses), !piece.owners.empty());
  }
}

// ---- from levels above ----

void PlainLevel::take(const LineRequests &requests) {
  const std::array<uint64_t, kKinds> asked = count_kinds(requests.list);
  for (size_t kind = 0; kind < kKinds; ++kind) counts.accesses[kind] += asked[kind];
  run(requests.list, requests.owned);
}

void PlainLevel::reference(const Request &request) {
  run_one(request, LineRequest::bits_of(request.address >> line_shift_, request.kind));
}

bool PlainLevel::fetch(const Request &request, Purpose) {
  run_one(request, LineRequest::bits_of(request.address >> line_shift_, request.kind) &
                       ~LineRequest::kMakesDirty);
  return false;
}

void PlainLevel::write_back(const Request &request) {
  const uint64_t line = request.address >> line_shift_;
  const LineRequest line_request =
      LineRequest::write_back(LineRequest::bits_of(line, request.kind));
  run({&line_request, 1}, false);
}

void PlainLevel::run_one(const Request &request, uint64_t bits) {
  const LineRequest line_request{bits, request.owner};
  ++counts.accesses[request.kind];
  run({&line_request, 1}, request.owner != 0);
}

// ---- running them ----

void PlainLevel::run(std::span<const LineRequest> requests, bool owned) {
  if (requests.empty()) return;
  if (missed_.size() < requests.size()) {
    missed_.resize(requests.size());
    handed_.resize(2 * requests.size());
  }
  Left left;
  const size_t count = sets_.run(requests, handed_.data(), missed_.data(), left);
  counts.evictions[0] += left.all - left.of_allocator;
  counts.evictions[1] += left.of_allocator;
  counts.write_backs[0] += left.dirty - left.dirty_of_allocator;
  counts.write_backs[1] += left.dirty_of_allocator;
  if (classes_) classify(requests);
  if (count == 0) return;
  const std::span<const LineRequest> handed = std::span(handed_).first(count);
  const std::array<uint64_t, kKinds> misses = count_kinds(handed);
  for (size_t kind = 0; kind < kKinds; ++kind) counts.misses[kind] += misses[kind];
  if (owned)
    for (const LineRequest &line_request : handed)
      count_owner(counts.misses_by_owner, line_request.owner);
  below->take({handed, line_bytes(), owned});
}

void PlainLevel::classify(std::span<const LineRequest> requests) {
  for (size_t i = 0; i < requests.size(); ++i) {
    if (requests[i].is_write_back()) continue;
    const MissClass why = classes_->use(requests[i].line(), true);
    counts.classes[index_of(side_of(requests[i].kind()))][static_cast<size_t>(why)] += missed_[i];
  }
}

} // namespace abut::sim
