// A word as one types it in a shell: what follows `next:` can be copied, whatever a path looks like.
#pragma once

#include <string>
#include <string_view>

namespace abut::record {

// As it is where no character means anything to a shell, else in single quotes, as Python's shlex.quote has it.
inline std::string shell_word(std::string_view text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos)
    return std::string(text);
  std::string word = "'";
  for (const char one : text) {
    if (one == '\'')
      word += "'\"'\"'";
    else
      word += one;
  }
  return word + "'";
}

} // namespace abut::record
