// A chained hash table in the C manner: each entry is a block, and so is each key. Filled, looked
// up, thinned and refilled; keys are words of mixed length.
#include "common/aged.hpp"
#include "common/checksum.hpp"
#include "common/memory.hpp"
#include "common/options.hpp"
#include "common/phases.hpp"
#include "common/random.hpp"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <cstring>

using bench::Checksum;
using bench::Random;

namespace {

struct Settings {
  std::uint64_t keys = 200'000;
  std::uint64_t lookups = 1'000'000;
  std::uint64_t rounds = 2;
  std::uint64_t aged = 0;
  std::uint64_t seed = 1;
  bool times = false;
};

struct Entry {
  Entry *next;
  std::uint64_t hash;
  char *key;
  std::uint64_t value;
};

using Key = std::array<char, 64>;

// The key of a number: its digits to base 16, followed by 0 to 32 letters that depend on it.
std::size_t make_key(std::uint64_t number, Key &key) {
  const int digits = std::snprintf(key.data(), key.size(), "%" PRIx64 ":", number);
  std::size_t length = static_cast<std::size_t>(digits);
  for (std::uint64_t rest = (number * 0x9e3779b97f4a7c15u) >> 59; rest > 0; --rest)
    key.at(length++) = static_cast<char>('a' + (number + rest) % 26);
  key.at(length) = '\0';
  return length;
}

std::uint64_t hash_key(const Key &key, std::size_t length) {
  std::uint64_t hash = 14695981039346656037u;
  for (std::size_t i = 0; i < length; ++i)
    hash = (hash ^ static_cast<unsigned char>(key.at(i))) * 1099511628211u;
  return hash;
}

class Table {
public:
  Table() { buckets_ = make_buckets(count_); }

  ~Table() {
    for (std::uint64_t i = 0; i < count_; ++i)
      for (Entry *entry = buckets_[i]; entry != nullptr;) entry = drop(entry);
    std::free(buckets_);
  }

  Table(const Table &) = delete;
  Table &operator=(const Table &) = delete;

  void add(std::uint64_t number) {
    Key key;
    const std::size_t length = make_key(number, key);
    const std::uint64_t hash = hash_key(key, length);
    Entry **place = find(key, hash);
    if (*place == nullptr) {
      *place = make_entry(key, length, hash);
      if (++size_ > count_) grow();
      return;
    }
    ++(*place)->value;
  }

  std::uint64_t look_up(std::uint64_t number) {
    Key key;
    const std::uint64_t hash = hash_key(key, make_key(number, key));
    const Entry *entry = *find(key, hash);
    return entry == nullptr ? 0 : entry->value;
  }

  void remove(std::uint64_t number) {
    Key key;
    const std::uint64_t hash = hash_key(key, make_key(number, key));
    Entry **place = find(key, hash);
    if (*place == nullptr) return;
    *place = drop(*place);
    --size_;
  }

  std::uint64_t size() const { return size_; }

private:
  static Entry **make_buckets(std::uint64_t count) {
    auto *buckets = bench::allocate_array<Entry *>(count);
    std::fill_n(buckets, count, nullptr);
    return buckets;
  }

  static Entry *make_entry(const Key &key, std::size_t length, std::uint64_t hash) {
    auto *entry = bench::allocate<Entry>();
    entry->next = nullptr;
    entry->hash = hash;
    entry->key = bench::allocate_array<char>(length + 1);
    std::memcpy(entry->key, key.data(), length + 1);
    entry->value = 1;
    return entry;
  }

  static Entry *drop(Entry *entry) {
    Entry *next = entry->next;
    std::free(entry->key);
    std::free(entry);
    return next;
  }

  Entry **find(const Key &key, std::uint64_t hash) {
    Entry **place = &buckets_[hash & (count_ - 1)];
    while (*place != nullptr &&
           ((*place)->hash != hash || std::strcmp((*place)->key, key.data()) != 0))
      place = &(*place)->next;
    return place;
  }

  void grow() {
    const std::uint64_t count = count_ * 2;
    Entry **buckets = make_buckets(count);
    for (std::uint64_t i = 0; i < count_; ++i) {
      for (Entry *entry = buckets_[i]; entry != nullptr;) {
        Entry *next = entry->next;
        Entry *&bucket = buckets[entry->hash & (count - 1)];
        entry->next = bucket;
        bucket = entry;
        entry = next;
      }
    }
    std::free(buckets_);
    buckets_ = buckets;
    count_ = count;
  }

  Entry **buckets_;
  std::uint64_t count_ = 64;
  std::uint64_t size_ = 0;
};

Settings parse(int argc, char **argv) {
  Settings settings;
  bench::Options options("hash", "Fills, looks up, thins and refills a chained hash table.");
  options.number("keys", settings.keys, {1, 1'000'000'000}, "insertions to fill the table");
  options.number("lookups", settings.lookups, {0, 10'000'000'000}, "look-ups a round");
  options.number("rounds", settings.rounds, {0, 1'000'000}, "rounds of look-ups and replacement");
  options.number("aged", settings.aged, {0, bench::AgedHeap::kMostBytes}, bench::AgedHeap::kHelp);
  options.number("seed", settings.seed, {0, UINT64_MAX}, "seed of the keys");
  options.flag("times", settings.times, "print phase times to standard error");
  options.parse(argc, argv);
  return settings;
}

} // namespace

int main(int argc, char **argv) {
  const Settings settings = parse(argc, argv);
  const bench::AgedHeap aged(settings.aged, settings.seed);
  bench::Phases phases(settings.times);
  Random random(settings.seed);
  const std::uint64_t range = settings.keys * 2;
  Table table;
  Checksum sum;
  phases.begin("fill");
  for (std::uint64_t i = 0; i < settings.keys; ++i) table.add(random.below(range));
  for (std::uint64_t round = 0; round < settings.rounds; ++round) {
    phases.begin("look up");
    for (std::uint64_t i = 0; i < settings.lookups; ++i)
      sum.add(table.look_up(random.below(range)));
    phases.begin("replace");
    for (std::uint64_t i = 0; i < settings.keys; ++i) {
      table.remove(random.below(range));
      table.add(random.below(range));
    }
  }
  phases.end();
  std::printf("keys %" PRIu64 " entries %" PRIu64 " checksum %016" PRIx64 "\n", settings.keys,
              table.size(), sum.value());
}
