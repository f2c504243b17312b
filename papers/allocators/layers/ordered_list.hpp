// Lists of runs and of page blocks that have room: by age, and in order of address.
#pragma once

#include "base/list.hpp"

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

// The lowest address is the first (PHKmalloc). Inserting goes from where the last one was inserted or removed: those that come one after another are mostly near
// each other, where a walk from the beginning would be long.
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

} // namespace abut::layers
