// Takes a line apart from left to right.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace abut::imports {

class Words {
public:
  explicit Words(std::string_view line) : rest_(line) {}

  bool at_end() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }

  void skip_blanks() {
    const size_t count = rest_.find_first_not_of(" \t\r");
    rest_.remove_prefix(count == std::string_view::npos ? rest_.size() : count);
  }

  // The next word, up to a blank; empty at the end.
  std::string_view word() {
    skip_blanks();
    const std::string_view word = rest_.substr(0, rest_.find_first_of(" \t\r"));
    rest_.remove_prefix(word.size());
    return word;
  }

  bool take(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  // Nothing where no number begins here, or one of more than 64 bits.
  std::optional<uint64_t> hexadecimal() {
    if (rest_.starts_with("0x") || rest_.starts_with("0X")) rest_.remove_prefix(2);
    return number(16);
  }
  std::optional<uint64_t> decimal() { return number(10); }

private:
  std::optional<uint64_t> number(int base) {
    uint64_t value = 0;
    const auto [end, error] =
        std::from_chars(rest_.data(), rest_.data() + rest_.size(), value, base);
    if (error != std::errc{}) return std::nullopt;
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return value;
  }

  std::string_view rest_;
};

} // namespace abut::imports
