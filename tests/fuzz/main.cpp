// Random or given operations on whatever heap serves this program, every result held against a
// model.
#include "fuzz/crew.hpp"
#include "support/random.hpp"

#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr const char *kUsage =
    "Usage: heap_model [--seed S] [--ops N] [--threads T]   random operations, T threads at once\n"
    "       heap_model --file OPS [--threads T]             operations in a file, one after "
    "another\n"
    "Exit code 0: every rule was kept. Otherwise it aborts with a message that names the rule.\n";

struct Options {
  std::uint64_t seed = 1;
  std::uint64_t operations = 1'000'000;
  std::uint64_t threads = 1;
  const char *file = nullptr;
};

[[noreturn]] void refuse(const std::string &reason) {
  std::fprintf(stderr, "heap_model: %s\n%s", reason.c_str(), kUsage);
  std::exit(2);
}

std::uint64_t number(const char *name, const char *text) {
  std::uint64_t value = 0;
  const char *end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, value);
  if (error != std::errc{} || stop != end)
    refuse(std::string(name) + " takes a whole number, not '" + text + "'");
  return value;
}

Options parse(int count, char **arguments) {
  Options options;
  for (int i = 1; i < count; i += 2) {
    const std::string name = arguments[i];
    if (i + 1 == count) refuse(name + " needs a value, or is no option");
    const char *value = arguments[i + 1];
    if (name == "--seed")
      options.seed = number("--seed", value);
    else if (name == "--ops")
      options.operations = number("--ops", value);
    else if (name == "--threads")
      options.threads = number("--threads", value);
    else if (name == "--file")
      options.file = value;
    else
      refuse("no option is called " + name);
  }
  if (options.threads < 1 || options.threads > 256) refuse("--threads takes 1 to 256");
  return options;
}

void run_file(const Options &options) {
  std::ifstream file(options.file, std::ios::binary);
  if (!file) refuse(std::string("cannot read ") + options.file);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  fuzz::Crew crew(options.threads);
  crew.perform({reinterpret_cast<const std::uint8_t *>(text.data()), text.size()});
}

// Large blocks are rare, or filling and checking them would be all that the run does.
fuzz::Operation random_operation(support::Random &random) {
  const std::uint64_t bits = random.next();
  std::array<std::uint8_t, fuzz::kOperationBytes> bytes{};
  std::memcpy(bytes.data(), &bits, bytes.size());
  fuzz::Operation operation = fuzz::Operation::decode(bytes);
  if (operation.size > 200'000 && random.below(256) != 0) operation.size %= 200'000;
  if (operation.size > 4'000 && random.below(16) != 0) operation.size %= 4'000;
  if (operation.kind == fuzz::Kind::trim && random.below(64) != 0)
    operation.kind = fuzz::Kind::malloc;
  return operation;
}

void run_random(const Options &options) {
  fuzz::Exchange exchange;
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < options.threads; ++t)
    threads.emplace_back([&, t] {
      support::Random random(options.seed * 1000 + t);
      fuzz::HeapModel model(exchange, (options.seed * 1000 + t) << 32, options.threads == 1);
      for (std::uint64_t i = 0; i < options.operations / options.threads; ++i)
        model.perform(random_operation(random));
    });
  for (std::thread &thread : threads) thread.join();
}

} // namespace

int main(int count, char **arguments) {
  const Options options = parse(count, arguments);
  options.file != nullptr ? run_file(options) : run_random(options);
  return 0;
}
