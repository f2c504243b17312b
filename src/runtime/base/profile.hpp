// The text of a profile: the options of the heap that were measured to win for a program, in a few lines of TOML.
//
// What is read is a part of TOML: `[tables]`, `[[entries]]` of lists, `name = "text"` without escapes, `name = number`, and
// comments.
#pragma once

#include "base/units.hpp"

#include <string_view>

namespace abut {

inline constexpr size_t kProfileBytes = 64 * KiB; // at most

// Goes through a profile. Copies nothing: what it returns points into the text.
class ProfileReader {
public:
  explicit ProfileReader(std::string_view text) : rest_(text) {}

  enum class Table : uint8_t { head, program, machine, settings, module, context };
  struct Setting {
    std::string_view name, value;
    unsigned line = 0;
    Table table = Table::head;
    unsigned entry = 0; // how many tables began before
  };

  // The next line that sets something, if there is one and nothing before it is wrong.
  bool next(Setting &setting);

  // Null while nothing is wrong, else what is, at line().
  const char *fault() const { return fault_; }
  unsigned line() const { return line_; }

private:
  bool read_line(std::string_view line, Setting &setting);
  bool read_table(std::string_view line);
  bool fail(const char *fault) {
    fault_ = fault;
    return false;
  }

  std::string_view rest_;
  unsigned line_ = 0;
  Table table_ = Table::head;
  unsigned entry_ = 0;
  bool has_format_ = false;
  const char *fault_ = nullptr;
};

} // namespace abut
