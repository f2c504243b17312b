// MLIST (Adcock 2009, 3.2.2): many singly linked lists; at random places of random lists nodes are deleted and inserted,
// and every node up to the place is walked. The program, whatever keeps the lists.
#pragma once

#include "common/checksum.hpp"
#include "common/random.hpp"
#include "move/timing.hpp"
#include "move/visits.hpp"

#include <cinttypes>
#include <string_view>

namespace bench {

struct MlistSettings {
  std::uint64_t nodes = std::uint64_t{1} << 22;
  std::uint64_t lists = std::uint64_t{1} << 15;
  std::uint64_t operations = 1'000'000;
  std::uint64_t batch = 100;
  std::string_view mover = "none";
  std::uint64_t percent = 200;
  std::uint64_t period = 0;
  std::uint64_t rate = 1000;
  std::uint64_t threshold = 1;
  std::uint64_t least = 75;
  std::uint64_t block = 4096;
  bool compacts = false;
  bool huge = false;
  std::string_view visits; // where the addresses of the walks at the end go
  std::uint64_t seed = 1;
};

// What each file measures, by the mover's name; false if it is none of its own.
bool run_list_movers(const MlistSettings &settings);
bool run_list_sites(const MlistSettings &settings);
bool run_perfect_lists(const MlistSettings &settings);
bool run_gapped_lists(const MlistSettings &settings);
bool run_unrolled_lists(const MlistSettings &settings);

// `Store` keeps the lists. Of a list's nodes all that lie before the one of an index are added to the sum.
//   push_front(list, data)            while the lists are built; `built()` follows
//   erase(list, index, sum)           the node of that index
//   insert(list, index, data, sum)    before the node of that index
//   work(operations)                  what a mover does after so many operations
//   lay_out()                         the best layout, for the upper bound
//   ratio()                           cells for each node
//   visit(list, look)                 shows the address of each node, in order
template <typename Store>
class MlistProgram {
public:
  explicit MlistProgram(const MlistSettings &settings)
      : settings_(settings), store_(settings), lengths_(settings.lists), random_(settings.seed),
        batches_(settings.operations, settings.batch) {
    for (std::uint64_t i = 0; i < settings.nodes; ++i) {
      const std::uint32_t list = any_list();
      store_.push_front(list, data());
      ++lengths_[list];
    }
    store_.built();
  }

  void run() {
    const std::uint64_t all = settings_.operations;
    batches_.run(all - all / 10, [&] { operation(); });
    if (settings_.mover == "upper") store_.lay_out();
    batches_.run(all / 10, [&] { operation(); });
    if (!settings_.visits.empty()) write_visits();
    report();
  }

private:
  std::uint32_t any_list() { return static_cast<std::uint32_t>(random_.below(lengths_.size())); }
  std::uint32_t data() { return static_cast<std::uint32_t>(random_.next()); }

  void operation() {
    std::uint32_t list;
    do list = any_list();
    while (lengths_[list] == 0);
    const std::uint64_t victim = random_.below(lengths_[list]--);
    store_.erase(list, victim, sum_);
    list = any_list();
    const std::uint64_t index = random_.below(++lengths_[list]);
    store_.insert(list, index, data(), sum_);
    store_.work(++done_);
  }

  // Whole walks over lists drawn at random, of a million nodes in all.
  void write_visits() {
    Visits visits;
    while (looked_up_ < std::uint64_t{1} << 20)
      store_.visit(any_list(), [&](const void *node) {
        visits.add(node);
        ++looked_up_;
      });
    if (!visits.write(settings_.visits)) std::perror("mlist: the visits");
  }
  void report() {
    std::printf("{\"program\": \"mlist\", \"mover\": \"%.*s\", ",
                static_cast<int>(settings_.mover.size()), settings_.mover.data());
    batches_.print_figures();
    std::printf(", \"looked_up\": %" PRIu64, looked_up_);
    std::printf(", \"m\": %.3f, \"checksum\": \"%016" PRIx64 "\"}\n", store_.ratio(), sum_.value());
  }

  MlistSettings settings_;
  Store store_;
  std::vector<std::uint64_t> lengths_;
  Random random_;
  Batches batches_;
  Checksum sum_;
  std::uint64_t done_ = 0;
  std::uint64_t looked_up_ = 0; // nodes whose visits were written
};

} // namespace bench
