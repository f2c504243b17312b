// JSON into a file that an option names, without allocating.
#pragma once

#include "base/options.hpp"
#include "os/message.hpp"

#include <algorithm>
#include <cstring>

namespace abut::entry {

// Writes an object's members, one after the other, to a file.
class JsonWriter {
public:
  explicit JsonWriter(int file) : file_(file) {}

  void open(const char *bracket) { put(bracket); }
  void close(const char *bracket) {
    first_ = false;
    put(bracket);
  }
  void number(const char *name, uint64_t value) { write(named(name) << value); }
  // In pieces: with its escapes it may be longer than a message.
  void text(const char *name, const os::Message &value) {
    write(named(name) << "\"");
    constexpr size_t kPiece = 64;
    for (size_t i = 0; i < value.length(); i += kPiece) {
      os::Message escaped;
      for (size_t at = i; at < std::min(i + kPiece, value.length()); ++at)
        escape(escaped, value.text()[at]);
      write(escaped);
    }
    put("\"");
  }
  void text(const char *name, const char *value) {
    os::Message copied;
    copied << value;
    text(name, copied);
  }
  void thousandths(const char *name, uint64_t value) {
    write(named(name) << value / 1000 << "." << value / 100 % 10 << value / 10 % 10 << value % 10);
  }
  void member(const char *name, const char *bracket) {
    write(named(name) << bracket);
    first_ = true;
  }
  void element(const char *bracket) {
    write(os::Message() << comma() << bracket);
    first_ = true;
  }
  bool good() const { return good_; }

private:
  static void escape(os::Message &text, char each) {
    const auto byte = static_cast<unsigned char>(each);
    if (byte < ' ') {
      text << "\\u00" << byte / 16;
      text.append(&"0123456789abcdef"[byte % 16], 1);
      return;
    }
    if (each == '"' || each == '\\') text.append("\\", 1);
    text.append(&each, 1);
  }
  os::Message named(const char *name) {
    os::Message text;
    text << comma() << "\"" << name << "\": ";
    return text;
  }
  const char *comma() {
    const bool first = first_;
    first_ = false;
    return first ? "" : ", ";
  }
  void put(const char *text) { good_ = good_ && os::write_file(file_, text, std::strlen(text)); }
  void write(const os::Message &text) {
    good_ = good_ && os::write_file(file_, text.text(), text.length());
  }

  int file_;
  bool first_ = true;
  bool good_ = true;
};

// Has `write` fill the file that a path option names, if it names one; says so where that fails. `variable` is what the
// user set. `%p` in the path stands for the process id, so that the children of a program do not overwrite its file.
void write_named_file(Option option, const char *variable, bool (*write)(int file));

} // namespace abut::entry
