// A text file, a line after another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace abut::imports {

class Lines {
public:
  static constexpr size_t kMostBytes = size_t{64} << 10;

  // Standard input where the path is "-".
  explicit Lines(const std::string &path);

  // The next line without its end, valid until the next call; nothing at the end, or where it failed.
  std::optional<std::string_view> next();

  uint64_t number() const { return number_; } // of the last line, from 1
  // Why no line came; empty at the end of the file.
  const std::string &failure() const { return failure_; }

private:
  std::ifstream file_;
  std::vector<char> buffer_ =
      std::vector<char>(kMostBytes + 2); // a line, its end, and getline's zero
  uint64_t number_ = 0;
  std::string failure_;
};

} // namespace abut::imports
