// Short texts for the standard error stream, made in a buffer on the stack: safe inside malloc.
#pragma once

#include "os/os.hpp"

#include <charconv>
#include <cstring>

namespace abut::os {

class Message {
public:
  Message &operator<<(const char *text) {
    append(text, std::strlen(text));
    return *this;
  }

  Message &operator<<(uint64_t number) {
    append_digits(number, 10);
    return *this;
  }

  Message &operator<<(const void *pointer) {
    append("0x", 2);
    append_digits(reinterpret_cast<Address>(pointer), 16);
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
  void append_digits(uint64_t number, int base) {
    char digits[20];
    const char *end = std::to_chars(digits, digits + sizeof digits, number, base).ptr;
    append(digits, static_cast<size_t>(end - digits));
  }

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
