#include "survey/heap_map.hpp"

#include <algorithm>

namespace abut::report {

void Tile::add(const Tile &other) {
  accesses += other.accesses;
  allocator += other.allocator;
  ages += other.ages;
  if (owner == other.owner) {
    votes += other.votes;
  } else if (other.votes > votes) {
    owner = other.owner;
    votes = other.votes - votes;
  } else {
    votes -= other.votes;
  }
}

HeapMap::HeapMap(uint32_t columns, uint32_t most_rows)
    : columns_(std::max<uint32_t>(columns, 1)), most_rows_(std::max<uint32_t>(most_rows, 2)) {}

void HeapMap::add(const Spot &spot) {
  const uint64_t granule = (spot.address & sim::kAddressMask) >> shift_;
  Known &known = recent_[granule % kRecent];
  if (known.granule != granule) {
    const uint32_t row = row_of(granule);
    if (rows_.size() > most_rows_) {
      coarsen();
      add(spot);
      return;
    }
    known = {granule, row};
  }
  Tile &tile = tiles_[size_t{known.row} * columns_ + std::min(spot.column, columns_ - 1)];
  ++tile.accesses;
  tile.allocator += spot.side == Side::allocator ? 1 : 0;
  tile.ages += spot.age_log;
  if (tile.owner == spot.owner) {
    ++tile.votes;
  } else if (tile.votes == 0) {
    tile.owner = spot.owner;
    tile.votes = 1;
  } else {
    --tile.votes;
  }
}

uint32_t HeapMap::row_of(uint64_t granule) {
  const auto [found, fresh] = rows_.try_emplace(granule, static_cast<uint32_t>(rows_.size()));
  if (fresh) tiles_.resize(tiles_.size() + columns_);
  return found->second;
}

// Half of the rows at least go, so that this is rare; far away addresses take several steps, which are done as one.
void HeapMap::coarsen() {
  const std::vector<uint64_t> granules = sorted();
  unsigned steps = 0;
  size_t left = granules.size();
  while (left > most_rows_ / 2 && shift_ + steps < sim::kAddressBits) {
    ++steps;
    left = 1;
    for (size_t i = 1; i < granules.size(); ++i)
      left += granules[i] >> steps != granules[i - 1] >> steps ? 1 : 0;
  }
  shift_ += steps;
  const std::vector<Tile> tiles = std::move(tiles_);
  std::unordered_map<uint64_t, uint32_t> rows;
  rows.swap(rows_);
  tiles_.clear();
  tiles_.reserve((left + 1) * columns_);
  for (const uint64_t granule : granules) {
    const size_t from = size_t{rows.at(granule)} * columns_;
    const size_t to = size_t{row_of(granule >> steps)} * columns_;
    for (uint32_t column = 0; column < columns_; ++column)
      tiles_[to + column].add(tiles[from + column]);
  }
  recent_.fill({});
}

std::vector<uint64_t> HeapMap::sorted() const {
  std::vector<uint64_t> granules;
  granules.reserve(rows_.size());
  for (const auto &[granule, row] : rows_) granules.push_back(granule);
  std::sort(granules.begin(), granules.end());
  return granules;
}

Picture HeapMap::picture(uint32_t most_rows) const {
  const std::vector<uint64_t> granules = sorted();
  const uint64_t size = uint64_t{1} << shift_;
  const uint64_t apart = std::max<uint64_t>(kGap >> shift_, 1);
  const size_t gaps = static_cast<size_t>(
      std::count_if(granules.begin(), granules.end(), [&, last = uint64_t{0}](uint64_t g) mutable {
        const bool gap = g - last > apart;
        last = g;
        return gap;
      }));
  const size_t room = std::max<size_t>(most_rows > gaps ? most_rows - gaps : 1, 1);
  const size_t in_row = std::max<size_t>((granules.size() + room - 1) / room, 1);
  Picture picture{columns_, size, {}, {}};
  size_t taken = 0;
  uint64_t last = 0;
  for (const uint64_t granule : granules) {
    if (picture.rows.empty() || taken == in_row || granule - last > apart) {
      picture.rows.push_back({granule << shift_, 0, 0});
      picture.tiles.resize(picture.tiles.size() + columns_);
      taken = 0;
    }
    Picture::Row &row = picture.rows.back();
    row.bytes = ((granule + 1) << shift_) - row.address;
    row.touched += size;
    const size_t from = size_t{rows_.at(granule)} * columns_;
    const size_t to = picture.tiles.size() - columns_;
    for (uint32_t column = 0; column < columns_; ++column)
      picture.tiles[to + column].add(tiles_[from + column]);
    last = granule;
    ++taken;
  }
  return picture;
}

} // namespace abut::report
