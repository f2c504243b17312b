// JSON into a file that an option names, without allocating.
#pragma once

#include "base/options.hpp"
#include "os/message.hpp"

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
  void number(const char *name, uint64_t value) {
    os::Message text;
    text << comma() << "\"" << name << "\": " << value;
    write(text);
  }
  // `value` must need no escapes but those of quotes and backslashes.
  void text(const char *name, const os::Message &value) {
    os::Message escaped;
    escaped << comma() << "\"" << name << "\": \"";
    for (size_t i = 0; i < value.length(); ++i) {
      const char *each = value.text() + i;
      if (*each == '"' || *each == '\\') escaped.append("\\", 1);
      escaped.append(each, 1);
    }
    escaped << "\"";
    write(escaped);
  }
  void text(const char *name, const char *value) {
    os::Message copied;
    copied << value;
    text(name, copied);
  }
  void thousandths(const char *name, uint64_t value) {
    os::Message text;
    text << comma() << "\"" << name << "\": " << value / 1000 << "." << value / 100 % 10
         << value / 10 % 10 << value % 10;
    write(text);
  }
  void member(const char *name, const char *bracket) {
    os::Message text;
    text << comma() << "\"" << name << "\": " << bracket;
    write(text);
    first_ = true;
  }
  void element(const char *bracket) {
    os::Message text;
    text << comma() << bracket;
    write(text);
    first_ = true;
  }
  bool good() const { return good_; }

private:
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

// Makes the file that a path option names; negative if it names none, or, after a message, if that fails. `variable` is
// what the user set. `%p` in the path stands for the process id, so that the children of a program do not overwrite its
// file.
int create_named_file(Option option, const char *variable);

} // namespace abut::entry
