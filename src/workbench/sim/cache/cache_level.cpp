#include "sim/cache/cache_level.hpp"

#include "base/units.hpp"
#include "sim/cache/cache_level_asked.hpp"
#include "sim/policy/full.hpp"
#include "sim/policy/ordered.hpp"
#include "sim/policy/plru.hpp"
#include "sim/policy/random.hpp"
#include "sim/policy/rrip.hpp"
#include "sim/policy/ways.hpp"

namespace abut::sim {

template <Replacement Sets>
CacheLevel<Sets>::CacheLevel(const LevelSettings &settings, const Clock &clock)
    : unit_shift_(static_cast<unsigned>(std::countr_zero(settings.sector_bytes()))),
      line_shift_(static_cast<unsigned>(std::countr_zero(settings.line))), sets_(settings.sets()),
      all_sectors_(static_cast<uint8_t>((1U << (settings.line / settings.sector_bytes())) - 1)),
      lines_({settings.sets(), settings.ways_in_set(), settings.seed}), settings_(settings),
      clock_(clock), prefetcher_(make_prefetcher(settings)),
      classes_(settings.classify ? std::make_unique<MissClasses>(settings.lines()) : nullptr) {
  plain_ = !classes_ && !prefetcher_ && all_sectors_ == 1 && settings.write_back &&
           settings.write_allocate && !exclusive();
}

// References in a row to one unit are one use of it. Which ones are uses is found without a branch, since nothing
// foretells it: those that a guess gets wrong cost more than all else.
template <Replacement Sets>
size_t CacheLevel<Sets>::find_uses(const References &references, Uses &uses) const {
  const uint64_t *addresses = references.addresses.data();
  const uint32_t *sizes = references.sizes.data();
  const Kind *kinds = references.kinds.data();
  // Where a write may leave its line out, a repeat is not sure to hit.
  const bool always = !Sets::kRepeatIsIdle || !settings_.write_allocate;
  const Kind passed_on =
      settings_.write_back ? 0 : kWrite; // every write of a write-through level is a use
  uint64_t last = kNoUnit;
  Kind last_kind = 0;
  size_t count = 0;
  for (size_t i = 0; i < references.count(); ++i) {
    const Extent extent = extent_of(addresses[i], sizes[i]);
    const uint64_t from = extent.first >> unit_shift_;
    const uint64_t to = extent.last >> unit_shift_;
    const auto first_write = static_cast<Kind>(kinds[i] & kWrite & (~last_kind | passed_on));
    uses[count] = static_cast<uint16_t>(i);
    count += static_cast<size_t>(always | (from != last) | (from != to) | (first_write != 0));
    last = to;
    last_kind = kinds[i];
  }
  return count;
}

template <Replacement Sets>
void CacheLevel<Sets>::take(const References &references) {
  for (size_t done = 0; done < references.count(); done += kPiece)
    take_piece(references.part(done, std::min(kPiece, references.count() - done)));
}

template <Replacement Sets>
void CacheLevel<Sets>::take_piece(const References &references) {
  Uses uses;
  const size_t count = find_uses(references, uses);
  last_unit_ = kNoUnit;
  count_kinds(references.kinds, counts.accesses);
  for (size_t k = 0; k < count; ++k) {
    const size_t i = uses[k];
    const Extent extent = extent_of(references.addresses[i], references.sizes[i]);
    const uint64_t line = extent.first >> line_shift_;
    if (plain_ && extent.last >> line_shift_ == line) [[likely]] {
      if (Entry *entry = lines_.find(sets_.set_of(line), line)) [[likely]] {
        entry->add(references.kinds[i] & Entry::kDirty);
        continue;
      }
    }
    const Request request{extent.first, static_cast<uint32_t>(extent.last - extent.first + 1),
                          static_cast<Kind>(references.kinds[i] % kKinds),
                          references.owners.empty() ? 0 : references.owners[i]};
    if (extent.last >> line_shift_ == line) [[likely]]
      look_up(request);
    else
      take_straddling(request, extent.last);
  }
}

// The reference was counted once; it counts once a line.
template <Replacement Sets>
void CacheLevel<Sets>::take_straddling(Request request, uint64_t last) {
  --counts.accesses[request.kind];
  while (request.address <= last) {
    const uint64_t end = (request.address | (settings_.line - 1)) + 1;
    request.size = static_cast<uint32_t>(std::min(end, last + 1) - request.address);
    ++counts.accesses[request.kind];
    look_up(request);
    request.address = end;
  }
}

template <Replacement Sets>
uint8_t CacheLevel<Sets>::sectors_of(const Request &request) const {
  if (all_sectors_ == 1) return 1;
  const uint64_t within = settings_.line - 1;
  const uint64_t first = (request.address & within) >> unit_shift_;
  const uint64_t last = ((request.address + request.size - 1) & within) >> unit_shift_;
  return static_cast<uint8_t>((2U << last) - (1U << first));
}

template <Replacement Sets>
void CacheLevel<Sets>::look_up(const Request &request) {
  const uint64_t line = request.address >> line_shift_;
  const bool write = (request.kind & kWrite) != 0;
  const bool allocates = !exclusive() && (!write || settings_.write_allocate);
  const uint8_t sectors = sectors_of(request);
  const MissClass why = classes_ ? classes_->use(line, allocates) : MissClass::compulsory;
  const uint64_t written = write && settings_.write_back ? Entry::kDirty : 0;
  Entry *entry = lines_.find(sets_.set_of(line), line);
  const bool found = entry != nullptr && (sectors & ~entry->sectors()) == 0;
  bool triggers = !found;
  bool dirty = written != 0;
  if (found) {
    triggers = entry->prefetched();
    if (triggers) use_prefetched(*entry, side_of(request.kind));
    entry->add(written);
    dirty = entry->dirty();
  } else {
    miss(request, entry != nullptr ? MissClass::sector : why);
    if (!allocates && entry == nullptr) return pass_on(request);
    bring(request, entry, sectors, written);
  }
  if (write && !settings_.write_back) below->reference(request);
  remember(request.address >> unit_shift_, found, dirty);
  if (prefetcher_) run_ahead(request, line, triggers);
}

// A miss that brings nothing here.
template <Replacement Sets>
void CacheLevel<Sets>::pass_on(const Request &request) {
  if ((request.kind & kWrite) != 0)
    below->reference(request);
  else
    below->fetch(request, Purpose::demand);
}

// What takes the fast path from now on.
template <Replacement Sets>
void CacheLevel<Sets>::remember(uint64_t unit, bool was_hit, bool dirty) {
  last_unit_ = Sets::kRepeatIsIdle || was_hit ? unit : kNoUnit;
  unsettled_ = settings_.write_back && dirty ? 0 : kWrite;
}

template <Replacement Sets>
void CacheLevel<Sets>::miss(const Request &request, MissClass why) {
  ++counts.misses[request.kind];
  if (classes_) ++counts.classes[index_of(side_of(request.kind))][static_cast<size_t>(why)];
  count_owner(counts.misses_by_owner, request.owner);
}

// Fetches those of a line's sectors that are not there. `entry`: of the line, if some are.
template <Replacement Sets>
void CacheLevel<Sets>::bring(const Request &request, const Entry *entry, uint8_t sectors,
                             uint64_t flags, Purpose purpose) {
  const uint64_t line = request.address >> line_shift_;
  const unsigned missing = sectors & (entry != nullptr ? ~entry->sectors() : ~0U);
  Request sector = request;
  sector.size = settings_.sector_bytes();
  bool dirty = false;
  for (unsigned rest = missing; rest != 0; rest &= rest - 1) {
    sector.address = address_of(line) + (uint64_t(std::countr_zero(rest)) << unit_shift_);
    dirty |= below->fetch(sector, purpose);
  }
  flags |= flag_of(side_of(request.kind)) | (dirty ? Entry::kDirty : 0);
  // A level below may have made a line leave that had some of its sectors here.
  Entry *known = entry != nullptr ? lines_.peek(sets_.set_of(line), line) : nullptr;
  if (known == nullptr) return fill(line, flags, sectors);
  known->add_sectors(sectors);
  known->add(flags & Entry::kDirty);
}

template <Replacement Sets>
void CacheLevel<Sets>::fill(uint64_t line, uint64_t flags, uint8_t sectors) {
  Entry entry = Entry::of(line);
  entry.add(flags);
  entry.add_sectors(sectors);
  const Entry left = lines_.insert(sets_.set_of(line), entry);
  if (!left.empty()) evict(left);
}

template <Replacement Sets>
void CacheLevel<Sets>::evict(Entry entry) {
  const Side side = entry.by_allocator() ? Side::allocator : Side::application;
  const uint64_t address = address_of(entry.line());
  bool dirty = entry.dirty();
  if (last_unit_ != kNoUnit && last_unit_ << unit_shift_ >> line_shift_ == entry.line())
    last_unit_ = kNoUnit;
  ++counts.evictions[index_of(side)];
  if (entry.prefetched()) {
    ++counts.prefetches[index_of(side)].unused;
    issued_at_.erase(entry.line());
  }
  if (settings_.inclusion == Inclusion::inclusive)
    for (Level *upper : above) dirty |= upper->leave(address, settings_.line);
  counts.write_backs[index_of(side)] += dirty ? 1 : 0;
  const Request victim{address, settings_.line,
                       static_cast<Kind>(side == Side::allocator ? kAllocator : 0), 0};
  if (below->exclusive())
    below->take_victim(victim, dirty);
  else if (dirty)
    below->write_back(victim);
}

template <Replacement Sets>
void CacheLevel<Sets>::use_prefetched(Entry &entry, Side side) {
  entry.drop(Entry::kPrefetched);
  const auto issued = issued_at_.find(entry.line());
  const bool timely = clock_.now - issued->second >= settings_.latency;
  issued_at_.erase(issued);
  PrefetchCounts &prefetches = counts.prefetches[index_of(side)];
  ++(timely ? prefetches.timely : prefetches.late);
}

template <Replacement Sets>
void CacheLevel<Sets>::run_ahead(const Request &request, uint64_t line, bool triggers) {
  Targets targets;
  prefetcher_->observe(line, triggers, targets);
  const Side side = side_of(request.kind);
  for (uint32_t i = 0; i < targets.count; ++i) {
    const uint64_t target = targets.lines[i];
    if (lines_.peek(sets_.set_of(target), target) != nullptr) continue;
    ++counts.prefetches[index_of(side)].issued;
    issued_at_[target] = clock_.now;
    const auto kind = static_cast<Kind>(request.kind & kAllocator);
    bring({address_of(target), settings_.line, kind, 0}, nullptr, all_sectors_, Entry::kPrefetched,
          Purpose::prefetch);
    last_unit_ = kNoUnit; // what came since is younger, so that another use counts
  }
}

namespace {

template <Replacement Sets>
std::unique_ptr<Level> make(const LevelSettings &settings, const Clock &clock) {
  return std::make_unique<CacheLevel<Sets>>(settings, clock);
}

} // namespace

std::unique_ptr<Level> make_level(const LevelSettings &settings, const Clock &clock) {
  const bool many = settings.sets() == 1 && settings.ways_in_set() > 16;
  switch (settings.policy) {
  case Policy::lru: return many ? make<FullLru>(settings, clock) : make<Lru>(settings, clock);
  case Policy::fifo: return many ? make<FullFifo>(settings, clock) : make<Fifo>(settings, clock);
  case Policy::plru: return make<Ways<TreePlru>>(settings, clock);
  case Policy::random: return make<Ways<Random>>(settings, clock);
  case Policy::rrip: return make<Ways<Rrip>>(settings, clock);
  }
  return nullptr;
}

} // namespace abut::sim
