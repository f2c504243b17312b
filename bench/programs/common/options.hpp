// The command line of a benchmark program: every option declared once, with its range and help.
// Keeps its table on the stack, so that reading the options leaves the measured heap untouched.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace bench {

struct Range {
  std::uint64_t low;
  std::uint64_t high;
};

class Options {
public:
  Options(const char *program, const char *about) : program_(program), about_(about) {}

  // The variable's value when declared is the default that --help shows.
  void number(const char *name, std::uint64_t &value, Range range, const char *help);
  void choice(const char *name, std::string_view &value,
              std::initializer_list<std::string_view> choices, const char *help);
  void text(const char *name, std::string_view &value, const char *help);
  void flag(const char *name, bool &value, const char *help);

  // Ends the program: with status 0 for --help, with status 2 and the reason for a bad argument.
  void parse(int argc, char **argv);
  [[noreturn]] void fail(const char *option, std::string_view value, const char *fix) const;

private:
  enum class Kind { number, choice, text, flag };
  struct Option {
    const char *name;
    const char *help;
    Kind kind;
    void *value;
    Range range;
    std::array<std::string_view, 6> choices;
  };

  Option &declare(const char *name, const char *help, Kind kind, void *value);
  const Option *find(std::string_view name) const;
  void read(const Option &option, std::string_view text) const;
  void read_number(const Option &option, std::string_view text) const;
  void read_choice(const Option &option, std::string_view text) const;
  void print_help() const;

  const char *program_;
  const char *about_;
  std::array<Option, 16> options_{};
  std::size_t count_ = 0;
};

} // namespace bench
