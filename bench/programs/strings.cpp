// Strings and vectors as C++ programs use them: words are built, lines split into vectors that grow
// by doubling, columns turned into rows, sorted, joined and thrown away.
#include "common/checksum.hpp"
#include "common/options.hpp"
#include "common/phases.hpp"
#include "common/random.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <string>
#include <unordered_map>
#include <vector>

using bench::Checksum;
using bench::Random;

namespace {

struct Settings {
  std::uint64_t lines = 100'000;
  std::uint64_t kept = 20'000;
  std::uint64_t seed = 1;
  bool times = false;
};

using Words = std::vector<std::string>;

// Half the words fit into the string object itself, half need a block.
std::string make_word(Random &random) {
  std::string word;
  for (std::uint64_t length = random.between(2, 28); length > 0; --length)
    word += static_cast<char>('a' + random.below(26));
  return word;
}

std::string make_line(const Words &vocabulary, Random &random) {
  std::string line;
  for (std::uint64_t count = random.between(3, 20); count > 0; --count) {
    line += vocabulary[random.below(vocabulary.size())];
    line += ' ';
  }
  return line;
}

Words split(const std::string &line) {
  Words words;
  for (std::size_t from = 0; from < line.size();) {
    const std::size_t to = line.find(' ', from);
    words.push_back(line.substr(from, to - from));
    from = to + 1;
  }
  return words;
}

std::string join(const Words &words) {
  std::string joined;
  for (const std::string &word : words)
    // The temporaries are the point: this is how it is often written.
    joined = joined + word + ","; // NOLINT(performance-inefficient-string-concatenation)
  return joined;
}

Settings parse(int argc, char **argv) {
  Settings settings;
  bench::Options options("strings", "Builds, splits, sorts and joins strings in growing vectors.");
  options.number("lines", settings.lines, {1, 1'000'000'000}, "lines worked on");
  options.number("kept", settings.kept, {1, 100'000'000}, "lines kept at a time");
  options.number("seed", settings.seed, {0, UINT64_MAX}, "seed of the words");
  options.flag("times", settings.times, "print phase times to standard error");
  options.parse(argc, argv);
  return settings;
}

} // namespace

int main(int argc, char **argv) {
  const Settings settings = parse(argc, argv);
  bench::Phases phases(settings.times);
  Random random(settings.seed);
  Words vocabulary;
  for (int i = 0; i < 5000; ++i) vocabulary.push_back(make_word(random));
  phases.begin("lines");
  Checksum sum;
  std::vector<Words> kept;
  std::unordered_map<std::string, std::uint64_t> counts;
  for (std::uint64_t i = 0; i < settings.lines; ++i) {
    Words words = split(make_line(vocabulary, random));
    std::sort(words.begin(), words.end());
    for (const std::string &word : words) ++counts[word];
    const std::string joined = join(words);
    sum.add_bytes(joined.data(), joined.size());
    if (kept.size() < settings.kept)
      kept.push_back(std::move(words));
    else
      kept[random.below(kept.size())] = std::move(words);
  }
  phases.begin("count");
  for (const std::string &word : vocabulary) sum.add(counts[word]);
  for (const Words &words : kept) sum.add(words.size());
  phases.begin("free");
  kept.clear();
  counts.clear();
  std::printf("lines %" PRIu64 " checksum %016" PRIx64 "\n", settings.lines, sum.value());
}
