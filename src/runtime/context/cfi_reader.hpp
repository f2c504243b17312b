// Reads the numbers that call frame information is made of, and never beyond its end: it comes from files.
#pragma once

#include "base/units.hpp"

#include <cstring>

namespace abut::context {

struct CodeRange {
  Address begin = 0, end = 0;
  bool holds(Address at) const { return at - begin < end - begin; }
};

// Once a read went wrong, every later one gives 0 and ok() is false.
class CfiReader {
public:
  CfiReader(Address begin, Address end) : at_(begin), end_(begin <= end ? end : begin) {}

  bool ok() const { return ok_; }
  bool done() const { return !ok_ || at_ >= end_; }
  Address at() const { return at_; }
  void fail() { ok_ = false; }

  template <class T>
  T fixed() {
    T value{};
    if (!ok_ || end_ - at_ < sizeof value) return fail(), value;
    std::memcpy(&value, reinterpret_cast<const void *>(at_), sizeof value);
    at_ += sizeof value;
    return value;
  }

  uint8_t byte() { return fixed<uint8_t>(); }

  void skip(uint64_t bytes) {
    if (!ok_ || end_ - at_ < bytes) return fail();
    at_ += bytes;
  }

  // The next `bytes`, as a reader of their own.
  CfiReader part(uint64_t bytes) {
    const Address begin = at_;
    skip(bytes);
    return ok_ ? CfiReader(begin, at_) : CfiReader(end_, end_);
  }

  uint64_t unsigned_leb() {
    unsigned shift = 0;
    return leb(shift);
  }

  int64_t signed_leb() {
    unsigned shift = 0;
    const uint64_t value = leb(shift);
    const bool negative = shift != 0 && ((value >> (shift - 1)) & 1) != 0;
    return static_cast<int64_t>(negative && shift < 64 ? value | ~uint64_t{0} << shift : value);
  }

  // A pointer in one of the encodings of the Linux Standard Base (DW_EH_PE); an indirect one fails.
  Address pointer(uint8_t encoding) {
    const Address base = (encoding & 0x70) == 0x10 ? at_ : 0;
    if ((encoding & 0x80) != 0 || ((encoding & 0x70) != 0 && base == 0)) return fail(), 0;
    return base + number(encoding & 0x0f);
  }

  // The same without its base: a length, say.
  Address number(uint8_t format) {
    switch (format) {
    case 0x0:
    case 0x4:
    case 0xc: return fixed<uint64_t>();
    case 0x1: return unsigned_leb();
    case 0x2: return fixed<uint16_t>();
    case 0x3: return fixed<uint32_t>();
    case 0x9: return static_cast<Address>(signed_leb());
    case 0xa: return static_cast<Address>(int64_t{fixed<int16_t>()});
    case 0xb: return static_cast<Address>(int64_t{fixed<int32_t>()});
    default: return fail(), 0;
    }
  }

private:
  uint64_t leb(unsigned &shift) {
    uint64_t value = 0;
    for (uint8_t piece = 0x80; (piece & 0x80) != 0; shift += 7) {
      if (shift >= 64) return fail(), 0;
      piece = byte();
      value |= uint64_t{piece & 0x7fU} << shift;
    }
    return value;
  }

  Address at_, end_;
  bool ok_ = true;
};

} // namespace abut::context
