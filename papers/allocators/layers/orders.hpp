// Which of the free page runs serves a request, and which of the page blocks that have room.
#pragma once

#include "base/list.hpp"
#include "base/units.hpp"

namespace abut::layers {

// The one that came last is the first (Vam, section 3.5).
template <class Item>
class NewestFirst {
public:
  Item *front() const { return items_.front(); }
  void add(Item *item) { items_.push_front(item); }
  void remove(Item *item) { items_.remove(item); }

private:
  List<Item, &Item::link> items_;
};

// The lowest address is the first (PHKmalloc). Inserting goes from where the last one was inserted or removed: those that
// come one after another are mostly near each other, where a walk from the beginning would be long.
template <class Item>
class LowestFirst {
public:
  Item *front() const { return first_; }
  static Item *after(const Item *item) { return item->link.next; }

  void add(Item *item) {
    Item *before = finger_;
    while (before != nullptr && before > item) before = before->link.previous;
    Item *next = before != nullptr ? before->link.next : first_;
    while (next != nullptr && next < item) {
      before = next;
      next = next->link.next;
    }
    item->link = {next, before};
    (before != nullptr ? before->link.next : first_) = item;
    if (next != nullptr) next->link.previous = item;
    finger_ = item;
  }

  void remove(Item *item) {
    Item *before = item->link.previous;
    Item *next = item->link.next;
    (before != nullptr ? before->link.next : first_) = next;
    if (next != nullptr) next->link.previous = before;
    if (finger_ == item) finger_ = before != nullptr ? before : next;
    item->link = {};
  }

private:
  Item *first_ = nullptr;
  Item *finger_ = nullptr;
};

// A list for each length, and one for all that are longer: the shortest that suffices, the one freed last first
// (Vam's free lists of consecutive pages, section 3.2).
template <class Record>
class RunsByLength {
public:
  Record *find(Pages pages) {
    for (uint32_t n = pages.n; n < kLists; ++n)
      if (Record *run = runs_[n].front()) return run;
    Record *best = nullptr;
    for (Record *run = runs_[0].front(); run; run = Runs::after(run))
      if (run->run >= pages && (best == nullptr || run->run < best->run)) best = run;
    return best;
  }
  void add(Record *run) { list_of(run).push_front(run); }
  void remove(Record *run) { list_of(run).remove(run); }

private:
  using Runs = List<Record, &Record::link>;
  static constexpr uint32_t kLists = 32;
  Runs &list_of(const Record *run) { return runs_[run->run.n < kLists ? run->run.n : 0]; }

  Runs runs_[kLists]; // those of kLists pages and more are in the first
};

// One list in order of address, and the first that suffices (PHKmalloc).
template <class Record>
class RunsByAddress : public LowestFirst<Record> {
public:
  Record *find(Pages pages) {
    for (Record *run = this->front(); run; run = this->after(run))
      if (run->run >= pages) return run;
    return nullptr;
  }
};

} // namespace abut::layers
