// The functions of abut.h.
#include "abut/abut.h"

#include "api/export.hpp"
#include "api/statistics_file.hpp"
#include "base/options.hpp"
#include "heap/heap.hpp"
#include "placement/plan/follower.hpp"

#include <charconv>
#include <cstring>
#include <iterator>

using namespace abut;

namespace {

// An option's texts, made once from its declaration.
struct OptionTexts {
  char standard[32];
  char range[160];
  abut_option option;
};

OptionTexts texts[kOptionCount];

// The texts are zero to their ends.
void describe_number(const OptionInfo &info, OptionTexts &text) {
  std::to_chars(text.standard, std::end(text.standard), info.standard);
  char *dots = std::to_chars(text.range, std::end(text.range), info.low).ptr;
  dots[0] = dots[1] = '.';
  std::to_chars(dots + 2, std::end(text.range), info.high);
}

// A choice's help begins with its words in brackets: "[never auto] whether …".
void describe_choice(const OptionInfo &info, OptionTexts &text) {
  const char *word = info.help + 1;
  const char *end = std::strchr(info.help, ']');
  std::memcpy(text.range, word, static_cast<size_t>(end - word));
  int64_t index = 0;
  for (char *at = text.range;; at = std::strchr(at, ' ')) {
    if (at == nullptr) break;
    if (*at == ' ') *at++ = '|';
    if (index++ == info.standard) std::memcpy(text.standard, at, std::strcspn(at, " |"));
  }
  text.option.help = end + 2;
}

const abut_option &describe(size_t index) {
  const OptionInfo &info = option_info(static_cast<Option>(index));
  OptionTexts &text = texts[index];
  if (text.option.name != nullptr) return text.option;
  static constexpr const char *kKinds[] = {"number", "choice", "path"};
  text.option.kind = kKinds[static_cast<size_t>(info.kind)];
  text.option.standard = text.standard;
  text.option.range = text.range;
  text.option.help = info.help;
  if (info.kind == OptionKind::number) describe_number(info, text);
  if (info.kind == OptionKind::choice) describe_choice(info, text);
  text.option.name = info.name;
  return text.option;
}

} // namespace

ABUT_EXPORT const char *abut_version(void) { return ABUT_VERSION; }

ABUT_EXPORT int abut_option_count(void) { return static_cast<int>(kOptionCount); }

ABUT_EXPORT const struct abut_option *abut_option_at(int i) {
  return i >= 0 && static_cast<size_t>(i) < kOptionCount ? &describe(static_cast<size_t>(i))
                                                         : nullptr;
}

ABUT_EXPORT void abut_plan_stop(void) { plan::follower.stop(); }

ABUT_EXPORT size_t abut_trim(void) { return heap::trim(); }

ABUT_EXPORT int abut_stats_print(int fd) { return entry::write_statistics(fd) ? 0 : -1; }
