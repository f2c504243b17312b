// MLIST (Adcock 2009, 3.2.2): many singly linked lists; at random places of random lists nodes are deleted and inserted,
// and every node up to the place is walked. The program, whatever keeps the lists.
#pragma once

#include "common/checksum.hpp"
#include "common/random.hpp"
#include "move/timing.hpp"

#include <cinttypes>
#include <string_view>

namespace bench {

struct MlistSettings {
  std::uint64_t nodes = std::uint64_t{1} << 22;
  std::uint64_t lists = std::uint64_t{1} << 15;
  std::uint64_t operations = 1'000'000;
  std::uint64_t batch = 100;
  std::uint64_t sample = 0; // operations of a tenth that are walked for and timed; 0: all
  std::string_view mover = "none";
  std::uint64_t percent = 200;
  std::uint64_t period = 0;
  std::uint64_t rate = 1000;
  std::uint64_t threshold = 1;
  std::uint64_t least = 75;
  std::uint64_t block = 4096;
  bool compacts = false;
  std::uint64_t seed = 1;
};

// What each file measures, by the mover's name; false if it is none of its own.
bool run_list_movers(const MlistSettings &settings);
bool run_list_sites(const MlistSettings &settings);
bool run_minimised_lists(const MlistSettings &settings);
bool run_perfect_lists(const MlistSettings &settings);
bool run_unrolled_lists(const MlistSettings &settings);

// `Store` keeps the lists. Of a list's nodes all that lie before the one of an index are added to the sum.
//   push_front(list, data)            while the lists are built; `built()` follows
//   erase(list, index, sum)           the node of that index
//   insert(list, index, data, sum)    before the node of that index
//   work(operations)                  what a mover does after so many operations
//   lay_out()                         the best layout, for the upper bound
//   ratio()                           cells for each node
// One whose nodes stay may have besides, for changes that nobody walks to:
//   cells(list)                       the cells of a list, in order
//   erase_after(list, before)         the node behind a cell, or the first; gives its cell
//   insert_after(list, before, data)  likewise
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
    // The last sample is walked for in any case: the sum is of what all walk over.
    const Sampling sampling{settings.operations, settings.sample};
    if (settings.sample != 0) sum_from_ = sampling.slice() * 10 - sampling.timed();
  }

  void run() {
    run_tenths(0, 9);
    if (lays_out()) store_.lay_out();
    run_tenths(9, 10);
    report();
  }

private:
  static constexpr bool kCanHasten = requires(Store & store) { store.cells(0); };

  std::uint32_t any_list() { return static_cast<std::uint32_t>(random_.below(lengths_.size())); }
  std::uint32_t data() { return static_cast<std::uint32_t>(random_.next()); }

  // Where to, in a list.
  struct Spot {
    std::uint32_t list;
    std::uint64_t index;
  };
  Spot victim() {
    std::uint32_t list;
    do list = any_list();
    while (lengths_[list] == 0);
    return {list, random_.below(lengths_[list]--)};
  }
  Spot gap() {
    const std::uint32_t list = any_list();
    return {list, random_.below(++lengths_[list])};
  }

  void operation() {
    if (done_ == sum_from_) sum_ = {};
    const Spot old = victim();
    store_.erase(old.list, old.index, sum_);
    const Spot fresh = gap();
    store_.insert(fresh.list, fresh.index, data(), sum_);
    store_.work(++done_);
  }

  void run_tenths(std::uint64_t from, std::uint64_t to) {
    const bool hastens = settings_.sample != 0 && can_hasten();
    const Sampling sampling{settings_.operations, hastens ? settings_.sample : 0};
    sampling.run(
        from, to, [&](std::uint64_t hastened) { hasten(hastened); },
        [&](std::uint64_t timed) { batches_.run(timed, [&] { operation(); }); });
  }
  bool can_hasten() const { return kCanHasten && (settings_.mover == "none" || lays_out()); }
  bool lays_out() const {
    return settings_.mover == "upper" || settings_.mover.starts_with("layout-");
  }
  // The same changes, by where nodes are and not by walks.
  void hasten(std::uint64_t operations) {
    if constexpr (kCanHasten) {
      if (operations == 0) return;
      std::vector<decltype(store_.cells(0))> cells(lengths_.size());
      for (std::uint32_t list = 0; list < cells.size(); ++list) cells[list] = store_.cells(list);
      const auto before = [&](Spot spot) {
        return spot.index == 0 ? Store::kFront : cells[spot.list][spot.index - 1];
      };
      for (; operations > 0; --operations) {
        const Spot old = victim();
        store_.erase_after(old.list, before(old));
        cells[old.list].erase(cells[old.list].begin() + static_cast<std::ptrdiff_t>(old.index));
        const Spot fresh = gap();
        const auto cell = store_.insert_after(fresh.list, before(fresh), data());
        cells[fresh.list].insert(
            cells[fresh.list].begin() + static_cast<std::ptrdiff_t>(fresh.index), cell);
        ++done_;
      }
    }
  }

  void report() {
    std::printf("{\"program\": \"mlist\", \"mover\": \"%.*s\", ",
                static_cast<int>(settings_.mover.size()), settings_.mover.data());
    batches_.print_figures();
    std::printf(", \"m\": %.3f, \"checksum\": \"%016" PRIx64 "\"}\n", store_.ratio(), sum_.value());
  }

  MlistSettings settings_;
  Store store_;
  std::vector<std::uint64_t> lengths_;
  Random random_;
  Batches batches_;
  Checksum sum_;
  std::uint64_t done_ = 0;
  std::uint64_t sum_from_ = 0; // the operation that the sum begins with
};

} // namespace bench
