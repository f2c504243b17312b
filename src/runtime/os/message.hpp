// Short texts for the standard error stream, made in a buffer on the stack: safe inside malloc.
#pragma once

#include "os/os.hpp"

#include <cstring>

namespace abut::os {

class Message {
public:
  Message &operator<<(const char *text) {
    append(text, std::strlen(text));
    return *this;
  }

  Message &operator<<(uint64_t number) {
    char digits[20];
    size_t at = sizeof digits;
    do {
      digits[--at] = static_cast<char>('0' + number % 10);
    } while ((number /= 10) != 0);
    append(digits + at, sizeof digits - at);
    return *this;
  }

  Message &operator<<(const void *pointer) {
    const Address address = reinterpret_cast<Address>(pointer);
    append("0x", 2);
    bool significant = false;
    for (int shift = 60; shift >= 0; shift -= 4) {
      const unsigned digit = (address >> shift) & 15;
      significant = significant || digit != 0 || shift == 0;
      if (significant) append(&"0123456789abcdef"[digit], 1);
    }
    return *this;
  }

  void append(const char *text, size_t length) {
    if (length > sizeof text_ - length_) length = sizeof text_ - length_;
    std::memcpy(text_ + length_, text, length);
    length_ += length;
  }

  const char *text() const { return text_; }
  size_t length() const { return length_; }
  void write() const { write_error(text_, length_); }

private:
  char text_[512];
  size_t length_ = 0;
};

// `abut: free(0x1234): not the start of a block`, and the end of the process.
[[noreturn]] inline void fail(const char *call, const void *pointer, const char *reason) {
  Message message;
  message << "abut: " << call << "(" << pointer << "): " << reason << "\n";
  message.write();
  abort_process();
}

} // namespace abut::os
