#include "conformance/xml_check.hpp"

#include <cctype>
#include <string>
#include <vector>

namespace conformance {
namespace {

bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.' ||
         c == ':';
}

std::string_view take_name(std::string_view &rest) {
  std::size_t length = 0;
  while (length < rest.size() && is_name(rest[length])) ++length;
  const std::string_view name = rest.substr(0, length);
  rest.remove_prefix(length);
  return name;
}

void skip_space(std::string_view &rest) {
  while (!rest.empty() && std::isspace(static_cast<unsigned char>(rest.front())) != 0)
    rest.remove_prefix(1);
}

bool take(std::string_view &rest, std::string_view expected) {
  if (!rest.starts_with(expected)) return false;
  rest.remove_prefix(expected.size());
  return true;
}

bool take_through(std::string_view &rest, std::string_view end) {
  const std::size_t at = rest.find(end);
  if (at == std::string_view::npos) return false;
  rest.remove_prefix(at + end.size());
  return true;
}

// name="value" pairs, up to what ends the tag.
bool take_attributes(std::string_view &rest) {
  for (skip_space(rest); !rest.empty() && is_name(rest.front()); skip_space(rest)) {
    take_name(rest);
    if (!take(rest, "=") || rest.empty() || (rest.front() != '"' && rest.front() != '\''))
      return false;
    const std::string quote(1, rest.front());
    rest.remove_prefix(1);
    if (!take_through(rest, quote)) return false;
  }
  return true;
}

// One element's tag, `<` already taken; `open` holds the names not yet closed.
bool take_tag(std::string_view &rest, std::vector<std::string_view> &open) {
  if (take(rest, "/")) {
    const std::string_view name = take_name(rest);
    skip_space(rest);
    if (open.empty() || open.back() != name) return false;
    open.pop_back();
    return take(rest, ">");
  }
  const std::string_view name = take_name(rest);
  if (name.empty() || !take_attributes(rest)) return false;
  if (take(rest, "/>")) return true;
  open.push_back(name);
  return take(rest, ">");
}

} // namespace

bool well_formed_xml(std::string_view text) {
  std::vector<std::string_view> open;
  int roots = 0;
  while (!text.empty()) {
    const std::size_t next = text.find('<');
    std::string_view between = text.substr(0, next);
    skip_space(between);
    if (open.empty() && !between.empty()) return false;
    if (next == std::string_view::npos) break;
    text.remove_prefix(next + 1);
    if (take(text, "?") ? !take_through(text, "?>")
                        : take(text, "!--") && !take_through(text, "-->"))
      return false;
    if (text.data()[-1] == '>') continue; // a declaration or a comment
    roots += open.empty() ? 1 : 0;
    if (!take_tag(text, open)) return false;
  }
  return open.empty() && roots == 1;
}

} // namespace conformance
