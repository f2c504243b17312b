#include "base/profile.hpp"

namespace abut {
namespace {

constexpr char kNoFormat[] = "it does not begin with `profile = 1`";
constexpr char kNoLine[] = "this is neither [TABLE] nor NAME = VALUE";

// As substr(), which would call what throws.
std::string_view first(std::string_view text, size_t count) { return {text.data(), count}; }
std::string_view without_first(std::string_view text, size_t count) {
  text.remove_prefix(count);
  return text;
}

bool is_blank(char letter) { return letter == ' ' || letter == '\t' || letter == '\r'; }
bool is_digit(char letter) { return '0' <= letter && letter <= '9'; }
bool is_of_name(char letter) {
  return ('a' <= letter && letter <= 'z') || is_digit(letter) || letter == '_';
}
bool is_of_text(char letter) {
  return static_cast<unsigned char>(letter) >= ' ' && letter != '"' && letter != '\\';
}

template <typename Is>
size_t count_while(std::string_view text, Is is) {
  size_t count = 0;
  while (count < text.size() && is(text[count])) ++count;
  return count;
}

std::string_view skip_blanks(std::string_view text) {
  return without_first(text, count_while(text, is_blank));
}

// Whether nothing but a comment is left of a line.
bool is_end(std::string_view rest) {
  rest = skip_blanks(rest);
  return rest.empty() || rest.front() == '#';
}

// A text without its quotes, or a number; false where it is neither, or something else follows.
bool take_value(std::string_view from, std::string_view &value) {
  from = skip_blanks(from);
  if (!from.starts_with('"')) {
    value = first(from, count_while(from, is_digit));
    return !value.empty() && is_end(without_first(from, value.size()));
  }
  from.remove_prefix(1);
  value = first(from, count_while(from, is_of_text));
  from.remove_prefix(value.size());
  return from.starts_with('"') && is_end(without_first(from, 1));
}

} // namespace

// `line` begins with a bracket; two begin an entry of a list.
bool ProfileReader::read_table(std::string_view line) {
  struct Known {
    std::string_view line;
    Table table;
  };
  static constexpr Known kKnown[] = {
      {"[program]", Table::program},   {"[machine]", Table::machine},
      {"[settings]", Table::settings}, {"[[module]]", Table::module},
      {"[[context]]", Table::context},
  };
  if (!has_format_) return fail(kNoFormat);
  for (const Known &known : kKnown) {
    if (!line.starts_with(known.line)) continue;
    table_ = known.table;
    ++entry_;
    return is_end(without_first(line, known.line.size())) ? false : fail(kNoLine);
  }
  const size_t letters = count_while(line, [](char letter) { return letter != '#'; });
  return fail(first(line, letters).find(']') == std::string_view::npos
                  ? kNoLine
                  : "this version has no such table");
}

// Whether the line is a setting.
bool ProfileReader::read_line(std::string_view line, Setting &setting) {
  line = skip_blanks(line);
  if (is_end(line)) return false;
  if (line.front() == '[') return read_table(line);
  const std::string_view name = first(line, count_while(line, is_of_name));
  const std::string_view after = skip_blanks(without_first(line, name.size()));
  std::string_view value;
  if (name.empty() || !after.starts_with('=') || !take_value(without_first(after, 1), value))
    return fail(kNoLine);
  setting = {name, value, line_, table_, entry_};
  if (table_ != Table::head) return true;
  has_format_ = name == "profile" && value == "1";
  return has_format_ ? false : fail(kNoFormat);
}

bool ProfileReader::next(Setting &setting) {
  while (fault_ == nullptr && !rest_.empty()) {
    ++line_;
    const size_t length = count_while(rest_, [](char letter) { return letter != '\n'; });
    if (length == rest_.size()) return fail("it is cut off");
    const std::string_view line = first(rest_, length);
    rest_.remove_prefix(length + 1);
    if (read_line(line, setting)) return true;
  }
  return fault_ == nullptr && !has_format_ ? fail(kNoFormat) : false;
}

} // namespace abut
