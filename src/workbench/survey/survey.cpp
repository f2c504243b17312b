#include "survey/survey.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace abut::report {

namespace {

sim::ReplayOptions replay_options(const trace::Reader &reader, const SurveySettings &settings) {
  sim::ReplayOptions options;
  options.owned_by = sim::OwnedBy::context;
  options.owner_of_context.resize(reader.contexts().size() + 1);
  std::iota(options.owner_of_context.begin(), options.owner_of_context.end(), 0);
  options.windows = settings.windows;
  return options;
}

} // namespace

Survey::Survey(trace::Reader &reader, sim::Layout &layout, SurveySettings settings)
    : layout_(layout), settings_(std::move(settings)),
      replay_(reader, layout, replay_options(reader, settings_)),
      map_(settings_.columns, settings_.most_rows) {
  settings_.columns = std::max<uint32_t>(settings_.columns, 1);
  has_accesses_ = reader.accesses() != 0;
  if (!has_accesses_)
    total_ = reader.events();
  else if (settings_.windows.empty())
    total_ = reader.accesses();
  for (const auto &[from, to] : settings_.windows)
    for (size_t chunk = from; chunk < std::min(to, reader.chunks().size()); ++chunk)
      total_ += has_accesses_ ? reader.chunks()[chunk].head.accesses : 0;
}

bool Survey::advance(std::span<sim::Consumer *const> by_context,
                     std::span<sim::Consumer *const> by_pair) {
  const size_t before = starts_.size();
  while (replay_.next()) {
    look_at_events();
    const sim::References references = replay_.references();
    look_at_accesses(references);
    if (settings_.application_only) keep_application();
    feed(by_context, references.owners);
    if (!by_pair.empty()) {
      number_pairs(references.owners);
      feed(by_pair, pair_owners_);
    }
    if (!live_.empty()) {
      live_.back() = census_.live_bytes();
      pages_.back() = census_.pages();
    }
    if (starts_.size() > before + 1 || (before == 0 && starts_.size() > 1)) return true;
  }
  return false;
}

void Survey::keep_application() {
  const sim::References all = replay_.references();
  kept_.clear();
  addresses_.clear();
  sizes_.clear();
  kinds_.clear();
  threads_.clear();
  for (size_t i = 0; i < all.count(); ++i) {
    if (sim::side_of(all.kinds[i]) == Side::allocator) continue;
    kept_.push_back(static_cast<uint32_t>(i));
    addresses_.push_back(all.addresses[i]);
    sizes_.push_back(all.sizes[i]);
    kinds_.push_back(all.kinds[i]);
    threads_.push_back(all.threads[i]);
  }
}

void Survey::feed(std::span<sim::Consumer *const> consumers, std::span<const Owner> owners) {
  sim::References references = replay_.references();
  if (settings_.application_only) {
    owners_.clear();
    for (const uint32_t i : kept_) owners_.push_back(owners[i]);
    references = {addresses_, sizes_, kinds_, threads_, owners_};
  } else {
    references.owners = owners;
  }
  for (sim::Consumer *consumer : consumers) consumer->take(references);
}

// The replay's layout has taken them all already: addresses are those after them.
void Survey::look_at_events() {
  for (const trace::Event &event : replay_.events()) {
    ++events_;
    const uint64_t clock = has_accesses_ ? event.position : events_;
    const uint64_t address = layout_.address_of(event.object, 0);
    census_.take(event, address, clock);
    if (has_accesses_ || event.kind != trace::EventKind::allocate) continue;
    // Without accesses, births are all that there is to draw.
    const uint32_t column = begin_column(events_ - 1, 0);
    for (uint64_t at = address; at < address + std::min<uint64_t>(event.size, 1 << 20); at += 64)
      map_.add({column, at, event.context, Side::application, 0});
  }
}

uint32_t Survey::begin_column(uint64_t clock, uint64_t position) {
  while (clock >= next_column_ && starts_.size() < settings_.columns) {
    starts_.push_back(position);
    live_.push_back(census_.live_bytes());
    pages_.push_back(census_.pages());
    const auto next = static_cast<unsigned __int128>(starts_.size()) * total_ / settings_.columns;
    next_column_ = static_cast<uint64_t>(next);
  }
  return static_cast<uint32_t>(std::max<size_t>(starts_.size(), 1) - 1);
}

void Survey::look_at_accesses(const sim::References &references) {
  const trace::Batches &batch = replay_.batch();
  const size_t count = references.count();
  const uint64_t first = count == 0 ? 0 : replay_.position();
  for (size_t i = 0; i < count; ++i) {
    const uint64_t object = batch.objects()[i];
    const Owner owner = references.owners[i];
    const Side side = sim::side_of(references.kinds[i]);
    const uint64_t position = first + i;
    const uint32_t column = begin_column(done_++, position);
    if (settings_.application_only && side == Side::allocator) continue;
    // What is none of the heap's is drawn, too, where the allocator keeps its own data there.
    if (object == 0 && side == Side::application) continue;
    const uint64_t born = census_.born(object);
    const auto age = static_cast<uint32_t>(std::bit_width(position - std::min(position, born)));
    map_.add({column, references.addresses[i], owner, side, object == 0 ? 0 : age});
    if (side == Side::allocator || object == 0) continue;
    fields_.add(owner, batch.offsets()[i], (references.kinds[i] & sim::kWrite) != 0);
    co_accesses_.add(object, owner);
  }
}

void Survey::number_pairs(std::span<const Owner> contexts) {
  const auto codes = replay_.batch().codes();
  pair_owners_.resize(contexts.size());
  for (size_t i = 0; i < contexts.size(); ++i) pair_owners_[i] = number_of({codes[i], contexts[i]});
}

Owner Survey::number_of(Pair pair) {
  if (pair == Pair{}) return 0;
  Known &known = recent_pairs_[Mixed{}(pair) % kRecent];
  if (known.pair == pair) return known.owner;
  const auto [found, fresh] =
      pair_numbers_.try_emplace(pair, static_cast<Owner>(pairs_.size() + 1));
  if (fresh) pairs_.push_back(pair);
  known = {pair, found->second};
  return known.owner;
}

} // namespace abut::report
