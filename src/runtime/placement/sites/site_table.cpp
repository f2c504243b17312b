#include "placement/sites/site_table.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <mutex>

namespace abut::sites {

constinit SiteTable table;

namespace {

// Nothing is stored for it that is not found again.
bool may_be_replaced(const Site &site) {
  const Address context = site.context.load(std::memory_order_relaxed);
  return (context == 0 || context == kPlain) && !site.is_pooled.load(std::memory_order_relaxed);
}

void set_kind(Site &site, Kind kind) {
  const Address address = site.address.load(std::memory_order_relaxed);
  site.plain_at.store(kind == Kind::plain ? address : 0, std::memory_order_relaxed);
  site.kind.store(kind, std::memory_order_release);
}

// At no time with the one site's address and the other's decision.
void replace(Site &site, Address address) {
  set_kind(site, Kind::undecided);
  site.address.store(0, std::memory_order_release);
  site.context.store(0, std::memory_order_relaxed);
  site.is_pooled.store(false, std::memory_order_relaxed);
  site.is_quiet.store(false, std::memory_order_relaxed);
  site.address.store(address, std::memory_order_release);
}

} // namespace

Site *SiteTable::claim(Address site) {
  if (Site *known = find(site)) return known;
  if (!lock_.try_lock()) return nullptr;
  std::lock_guard guard(lock_, std::adopt_lock);
  if (Site *known = find(site)) return known;
  Line &line = line_of(site);
  Site *place = &line.places[0];
  if (!place->is(0)) {
    Site &other = line.places[1];
    if (other.is(0) || !may_be_replaced(*place)) place = &other;
  }
  if (!place->is(0) && !may_be_replaced(*place)) return nullptr;
  replace(*place, site);
  return place;
}

bool SiteTable::has_room(Address site) const {
  const Line &line = line_of(site);
  return std::ranges::any_of(line.places, may_be_replaced);
}

void SiteTable::decide(Site &site, Kind kind) {
  const size_t line = site.address.load(std::memory_order_relaxed) % kLines;
  decided_[line / 64].fetch_or(uint64_t{1} << line % 64, std::memory_order_relaxed);
  set_kind(site, kind);
}

void SiteTable::reset(Address site) {
  if (Site *known = find(site)) set_kind(*known, Kind::undecided);
}

void SiteTable::reset(Which which) {
  for (size_t word = 0; word < std::size(decided_); ++word) {
    uint64_t still = 0;
    for (uint64_t left = decided_[word].exchange(0, std::memory_order_relaxed); left != 0;
         left &= left - 1) {
      const auto bit = static_cast<unsigned>(std::countr_zero(left));
      for (Site &site : lines_[word * 64 + bit].places)
        if (which == Which::what_may_change && site.decided() == Kind::always_beside)
          still |= uint64_t{1} << bit;
        else
          set_kind(site, Kind::undecided);
    }
    decided_[word].fetch_or(still, std::memory_order_relaxed);
  }
}

} // namespace abut::sites
