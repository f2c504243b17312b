// Numbers into bytes and back. What is read is not trusted: a reader that runs out of bytes, or meets a number
// that cannot be, says so, and answers 0 from then on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace abut::trace {

using Bytes = std::vector<uint8_t>;
using ByteView = std::span<const uint8_t>;

// Small numbers of either sign become small numbers.
constexpr uint64_t zigzag(uint64_t difference) {
  return (difference << 1) ^ (0 - (difference >> 63));
}
constexpr uint64_t unzigzag(uint64_t value) { return (value >> 1) ^ (0 - (value & 1)); }

template <typename Number>
void put(Bytes &bytes, Number value) {
  std::array<uint8_t, sizeof value> raw;
  std::memcpy(raw.data(), &value, sizeof value);
  bytes.insert(bytes.end(), raw.begin(), raw.end());
}

inline void put_varint(Bytes &bytes, uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<uint8_t>(value | 0x80));
  bytes.push_back(static_cast<uint8_t>(value));
}

inline void put_text(Bytes &bytes, std::string_view text) {
  put_varint(bytes, text.size());
  bytes.insert(bytes.end(), text.begin(), text.end());
}

class ByteReader {
public:
  explicit ByteReader(ByteView bytes) : bytes_(bytes) {}

  bool failed() const { return failed_; }
  bool at_end() const { return at_ == bytes_.size(); }
  size_t left() const { return bytes_.size() - at_; }

  template <typename Number>
  Number get() {
    Number value{};
    if (left() < sizeof value) return fail<Number>();
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }

  uint64_t varint() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (at_ == bytes_.size()) return fail<uint64_t>();
      const uint8_t byte = bytes_[at_++];
      if (shift == 63 && byte > 1) return fail<uint64_t>();
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    return fail<uint64_t>();
  }

  // A number of things that follow, each of at least `least` bytes.
  size_t count(size_t least) {
    const uint64_t value = varint();
    return value > left() / least ? fail<size_t>() : static_cast<size_t>(value);
  }

  uint32_t number32() {
    const uint64_t value = varint();
    return value > UINT32_MAX ? fail<uint32_t>() : static_cast<uint32_t>(value);
  }

  ByteView take(size_t length) {
    if (length > left()) {
      fail<int>();
      return {};
    }
    at_ += length;
    return bytes_.subspan(at_ - length, length);
  }

  std::string text() {
    const ByteView view = take(count(1));
    return {view.begin(), view.end()};
  }

private:
  template <typename Number>
  Number fail() {
    failed_ = true;
    at_ = bytes_.size();
    return Number{};
  }

  ByteView bytes_;
  size_t at_ = 0;
  bool failed_ = false;
};

} // namespace abut::trace
