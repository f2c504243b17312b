#include "base/options.hpp"

#include <cstring>

namespace abut {
namespace {

constexpr OptionInfo kOptions[] = {
#define ABUT_OPTION(name, kind, standard, low, high, help)                                         \
  {#name, OptionKind::kind, standard, low, high, help},
#include "base/options.def"
#undef ABUT_OPTION
};

int64_t values[] = {
#define ABUT_OPTION(name, kind, standard, low, high, help) standard,
#include "base/options.def"
#undef ABUT_OPTION
};

char paths[kOptionCount][kOptionPathBytes];

size_t index_of(Option option) { return static_cast<size_t>(option); }

bool parse_number(const char *text, int64_t &value) {
  if (*text == '\0') return false;
  int64_t result = 0;
  for (; *text != '\0'; ++text) {
    if (*text < '0' || *text > '9' || result > INT64_MAX / 10 - 9) return false;
    result = result * 10 + (*text - '0');
  }
  value = result;
  return true;
}

// Finds `text` among the bracketed words that open a choice's help.
bool parse_choice(const char *help, const char *text, int64_t &value) {
  const size_t length = std::strlen(text);
  int64_t index = 0;
  for (const char *word = help + 1; *word != '\0'; ++index) {
    const size_t word_length = std::strcspn(word, " ]");
    if (word_length == length && std::memcmp(word, text, length) == 0) {
      value = index;
      return true;
    }
    if (word[word_length] != ' ') return false;
    word += word_length + 1;
  }
  return false;
}

SetOption set_value(size_t index, const char *text) {
  const OptionInfo &info = kOptions[index];
  if (info.kind == OptionKind::path) {
    if (std::strlen(text) >= kOptionPathBytes) return SetOption::too_long;
    std::strcpy(paths[index], text);
    return SetOption::done;
  }
  int64_t value = 0;
  const bool parsed = info.kind == OptionKind::choice ? parse_choice(info.help, text, value)
                                                      : parse_number(text, value);
  if (!parsed) return SetOption::not_a_value;
  if (value < info.low || value > info.high) return SetOption::out_of_range;
  values[index] = value;
  return SetOption::done;
}

} // namespace

const OptionInfo &option_info(Option option) { return kOptions[index_of(option)]; }
int64_t option_value(Option option) { return values[index_of(option)]; }
const char *option_path(Option option) { return paths[index_of(option)]; }

const OptionInfo *find_option(const char *name, size_t name_length) {
  for (const OptionInfo &info : kOptions)
    if (std::strlen(info.name) == name_length && std::memcmp(info.name, name, name_length) == 0)
      return &info;
  return nullptr;
}

SetOption set_option(const char *name, size_t name_length, const char *text) {
  const OptionInfo *info = find_option(name, name_length);
  return info == nullptr ? SetOption::unknown_name
                         : set_value(static_cast<size_t>(info - kOptions), text);
}

} // namespace abut
