#include "options.hpp"

#include <algorithm>
#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>

namespace bench {

namespace {

int length(std::string_view text) { return static_cast<int>(text.size()); }

} // namespace

Options::Option &Options::declare(const char *name, const char *help, Kind kind, void *value) {
  Option &option = options_.at(count_++);
  option.name = name;
  option.help = help;
  option.kind = kind;
  option.value = value;
  return option;
}

void Options::number(const char *name, std::uint64_t &value, Range range, const char *help) {
  declare(name, help, Kind::number, &value).range = range;
}

void Options::choice(const char *name, std::string_view &value,
                     std::initializer_list<std::string_view> choices, const char *help) {
  Option &option = declare(name, help, Kind::choice, &value);
  std::size_t next = 0;
  for (const std::string_view choice : choices) option.choices.at(next++) = choice;
}

void Options::text(const char *name, std::string_view &value, const char *help) {
  declare(name, help, Kind::text, &value);
}

void Options::flag(const char *name, bool &value, const char *help) {
  declare(name, help, Kind::flag, &value);
}

void Options::fail(const char *option, std::string_view value, const char *fix) const {
  std::fprintf(stderr, "%s: --%s '%.*s' will not do: %s (see %s --help)\n", program_, option,
               length(value), value.data(), fix, program_);
  std::exit(2);
}

const Options::Option *Options::find(std::string_view name) const {
  const auto *end = options_.begin() + count_;
  const auto *found = std::find_if(options_.begin(), end,
                                   [name](const Option &option) { return name == option.name; });
  return found == end ? nullptr : found;
}

void Options::read_number(const Option &option, std::string_view text) const {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  if (!whole || number < option.range.low || number > option.range.high) {
    std::array<char, 96> fix{};
    std::snprintf(fix.data(), fix.size(), "give a whole number from %" PRIu64 " to %" PRIu64,
                  option.range.low, option.range.high);
    fail(option.name, text, fix.data());
  }
  *static_cast<std::uint64_t *>(option.value) = number;
}

void Options::read_choice(const Option &option, std::string_view text) const {
  const bool known =
      std::find(option.choices.begin(), option.choices.end(), text) != option.choices.end();
  if (!known || text.empty()) fail(option.name, text, "give one of the words that the help lists");
  *static_cast<std::string_view *>(option.value) = text;
}

void Options::read(const Option &option, std::string_view text) const {
  switch (option.kind) {
  case Kind::number: return read_number(option, text);
  case Kind::choice: return read_choice(option, text);
  case Kind::text: *static_cast<std::string_view *>(option.value) = text; return;
  case Kind::flag: *static_cast<bool *>(option.value) = true; return;
  }
}

void Options::parse(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    std::string_view word = argv[i];
    if (word == "--help" || word == "-h") {
      print_help();
      std::exit(0);
    }
    const Option *option = word.starts_with("--") ? find(word.substr(2)) : nullptr;
    if (option == nullptr) {
      std::fprintf(stderr, "%s: '%s' is not an option of this program; see %s --help\n", program_,
                   argv[i], program_);
      std::exit(2);
    }
    if (option->kind == Kind::flag) {
      read(*option, {});
    } else if (++i < argc) {
      read(*option, argv[i]);
    } else {
      fail(option->name, "", "a value must follow it");
    }
  }
}

void Options::print_help() const {
  std::printf("usage: %s [options]\n%s\n\noptions:\n", program_, about_);
  for (std::size_t i = 0; i < count_; ++i) {
    const Option &option = options_.at(i);
    std::printf("  --%-12s %s", option.name, option.help);
    if (option.kind == Kind::number) {
      std::printf(" (%" PRIu64 "; %" PRIu64 " to %" PRIu64 ")",
                  *static_cast<std::uint64_t *>(option.value), option.range.low, option.range.high);
    } else if (option.kind == Kind::choice) {
      const auto value = *static_cast<std::string_view *>(option.value);
      std::printf(" (%.*s;", length(value), value.data());
      for (const std::string_view choice : option.choices)
        std::printf("%s%.*s", choice.empty() ? "" : " ", length(choice), choice.data());
      std::printf(")");
    }
    std::printf("\n");
  }
  std::printf("  --%-12s %s\n", "help", "print this text");
}

} // namespace bench
