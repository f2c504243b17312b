// DICT (Adcock 2009, 3.2.1): a search tree that is looked up at random; after a share of the look-ups the node is deleted
// and another key inserted. The program, whatever keeps the tree.
#pragma once

#include "common/checksum.hpp"
#include "common/random.hpp"
#include "move/timing.hpp"
#include "move/visits.hpp"

#include <cinttypes>
#include <string_view>

namespace bench {

struct DictSettings {
  std::uint64_t nodes = 1'000'000;
  std::uint64_t operations = 10'000'000;
  std::uint64_t batch = 1000;
  std::uint64_t changes = 1000; // of 1000 look-ups, how many are followed by a change: s
  std::uint64_t sample = 0;     // operations of a tenth that are made in full and timed; 0: all
  std::string_view variant = "node";
  std::string_view mover = "none";
  std::uint64_t percent = 200; // m
  std::uint64_t period = 0;    // operations between passes
  // Nodes that are looked at in 1000 operations, or look-ups of 1000 that move.
  std::uint64_t rate = 1000;
  std::uint64_t threshold = 2;
  bool compacts = false;
  std::string_view visits; // where the addresses of the look-ups at the end go
  std::uint64_t seed = 1;
};

// What each file measures, by the mover's name; false if it is none of its own.
bool run_dict_movers(const DictSettings &settings);
bool run_dict_sites(const DictSettings &settings);
bool run_dict_ccmalloc(const DictSettings &settings);
bool run_dict_perfect(const DictSettings &settings);
bool run_dict_btree(const DictSettings &settings);

// `Store` keeps the tree.
//   insert(key)          another node, while it is built; `built()` follows
//   look_up(key)         a key that is there
//   pass_over(key)       what it does to the layout, where it need not be looked up
//   replace(key, other)  deletes a node that was looked up last, and inserts another key
//   work(operations)     what a mover does after so many operations
//   lay_out()            the best layout, for the upper bound
//   ratio()              cells for each node
//   visit(key, visits)   adds the addresses of the nodes on the way to a key
template <typename Store>
class DictProgram {
public:
  explicit DictProgram(const DictSettings &settings)
      : settings_(settings), store_(settings), random_(settings.seed), keys_(settings.nodes),
        batches_(settings.operations, settings.batch) {
    for (auto &key : keys_) {
      key = new_key();
      store_.insert(key);
    }
    store_.built();
  }

  void run() {
    run_tenths(0, 9);
    if (settings_.mover == "upper" || settings_.mover.starts_with("layout-")) store_.lay_out();
    run_tenths(9, 10);
    if (!settings_.visits.empty()) write_visits();
    std::printf("{\"program\": \"dict\", \"mover\": \"%.*s\", ",
                static_cast<int>(settings_.mover.size()), settings_.mover.data());
    batches_.print_figures();
    std::printf(", \"looked_up\": %d", kLookedUp);
    std::printf(", \"m\": %.3f, \"checksum\": \"%016" PRIx64 "\"}\n", store_.ratio(), sum_.value());
  }

private:
  static constexpr int kLookedUp = 50'000; // look-ups whose visits are written

  void write_visits() {
    Visits visits;
    for (int i = 0; i < kLookedUp; ++i) store_.visit(keys_[random_.below(keys_.size())], visits);
    if (!visits.write(settings_.visits)) std::perror("dict: the visits");
  }
  std::uint32_t new_key() { return static_cast<std::uint32_t>(random_.next() >> 35); }

  void run_tenths(std::uint64_t from, std::uint64_t to) {
    const Sampling sampling{settings_.operations, settings_.sample, 8};
    sampling.run(
        from, to,
        [&](std::uint64_t hastened) {
          for (; hastened > 0; --hastened) pass_over();
        },
        [&](std::uint64_t timed) { batches_.run(timed, [&] { operation(); }); });
  }

  void operation() {
    std::uint32_t &key = keys_[random_.below(keys_.size())];
    store_.look_up(key);
    sum_.add(key);
    if (random_.below(1000) < settings_.changes) change(key);
    work();
  }
  void work() {
    ++done_;
    // Passes are rare: in a sample there would be none, or too many.
    if (settings_.sample != 0 && settings_.period != 0 && done_ % settings_.period == 0)
      batches_.pass(settings_.period, [&] { store_.work(done_); });
    else
      store_.work(done_);
  }
  // The same to the layout; what was to be looked up only is not.
  void pass_over() {
    std::uint32_t &key = keys_[random_.below(keys_.size())];
    if (random_.below(1000) < settings_.changes) {
      store_.look_up(key);
      change(key);
    } else {
      store_.pass_over(key);
    }
    work();
  }
  void change(std::uint32_t &key) {
    const std::uint32_t old = key;
    key = new_key();
    store_.replace(old, key);
  }

  DictSettings settings_;
  Store store_;
  Random random_;
  std::vector<std::uint32_t> keys_;
  Batches batches_;
  Checksum sum_;
  std::uint64_t done_ = 0;
};

} // namespace bench
