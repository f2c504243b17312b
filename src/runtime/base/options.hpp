// The heap's options: values, bounds and the parser of one setting. Declared in options.def and nowhere else.
#pragma once

#include <cstddef>
#include <cstdint>

namespace abut {

enum class OptionKind : uint8_t { number, choice, path };

struct OptionInfo {
  const char *name;
  OptionKind kind;
  int64_t standard; // the default
  int64_t low;
  int64_t high;
  const char *help; // for a choice it begins with the words, in brackets
};

enum class Option : uint8_t {
#define ABUT_OPTION(name, kind, standard, low, high, help) name,
#include "base/options.def"
#undef ABUT_OPTION
  count
};

inline constexpr size_t kOptionCount = static_cast<size_t>(Option::count);
inline constexpr size_t kOptionPathBytes = 512;

const OptionInfo &option_info(Option option);

// The value in force: a number, or the index of a choice's word.
int64_t option_value(Option option);

// The value of a path option; empty when not set.
const char *option_path(Option option);

enum class SetOption : uint8_t { done, unknown_name, not_a_value, out_of_range, too_long };

// Null where there is no option of that name (lower case).
const OptionInfo *find_option(const char *name, size_t name_length);

// Sets option `name` (lower case) from `text`. Not thread-safe: called while the library starts.
SetOption set_option(const char *name, size_t name_length, const char *text);

} // namespace abut
