#include "trace/code_columns.hpp"

#include <algorithm>

namespace abut::trace {

void CodeEncoder::add(uint64_t code) {
  const auto [found, fresh] = place_of_.try_emplace(code, static_cast<uint32_t>(list_.size()));
  if (fresh) list_.push_back(code);
  places_.push_back(found->second);
}

CodeColumns CodeEncoder::finish() {
  CodeColumns columns;
  const bool recorded =
      std::any_of(list_.begin(), list_.end(), [](uint64_t code) { return code != 0; });
  if (recorded) {
    uint64_t before = 0;
    for (const uint64_t code : list_) {
      put_varint(columns.list, zigzag(code - before));
      before = code;
    }
    for (size_t plane = 0; plane < CodeColumns::kPlanes; ++plane) {
      if (plane > 0 && list_.size() <= size_t{1} << (8 * plane)) break;
      columns.planes[plane].resize(places_.size());
      std::transform(
          places_.begin(), places_.end(), columns.planes[plane].begin(),
          [plane](uint32_t place) { return static_cast<uint8_t>(place >> (8 * plane)); });
    }
  }
  place_of_.clear();
  list_.clear();
  places_.clear();
  return columns;
}

bool CodeDecoder::begin(uint32_t count, const CodeColumns &columns) {
  columns_ = &columns;
  list_.clear();
  ByteReader bytes(columns.list);
  for (uint64_t code = 0; !bytes.at_end() && list_.size() < CodeColumns::kMost;)
    list_.push_back(code += unzigzag(bytes.varint()));
  const auto fits = [count](const Bytes &plane) { return plane.empty() || plane.size() == count; };
  return !bytes.failed() && bytes.at_end() &&
         std::all_of(columns.planes.begin(), columns.planes.end(), fits) &&
         (list_.empty() || columns.planes[0].size() == count);
}

bool CodeDecoder::decode(uint32_t first, uint32_t count, uint64_t *codes) const {
  std::fill_n(codes, count, 0);
  if (list_.empty()) return true;
  for (size_t plane = 0; plane < CodeColumns::kPlanes; ++plane) {
    const Bytes &bytes = columns_->planes[plane];
    if (bytes.empty()) break;
    for (uint32_t i = 0; i < count; ++i) codes[i] |= uint64_t{bytes[first + i]} << (8 * plane);
  }
  if (!std::all_of(codes, codes + count, [&](uint64_t place) { return place < list_.size(); }))
    return false;
  std::transform(codes, codes + count, codes, [&](uint64_t place) { return list_[place]; });
  return true;
}

} // namespace abut::trace
