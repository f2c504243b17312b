// A doubly linked list through the items themselves: nothing is allocated to put an item on it.
#pragma once

namespace abut {

template <class Item>
struct Link {
  Item *next = nullptr;
  Item *previous = nullptr;
};

// `Member` is the item's link for this list; an item is on at most one list a link.
template <class Item, Link<Item> Item::*Member>
class List {
public:
  Item *front() const { return first_; }
  Item *back() const { return last_; }
  bool empty() const { return first_ == nullptr; }
  static Item *after(const Item *item) { return (item->*Member).next; }
  static Item *before(const Item *item) { return (item->*Member).previous; }

  void push_front(Item *item) {
    item->*Member = {first_, nullptr};
    (first_ ? (first_->*Member).previous : last_) = item;
    first_ = item;
  }

  void push_back(Item *item) {
    item->*Member = {nullptr, last_};
    (last_ ? (last_->*Member).next : first_) = item;
    last_ = item;
  }

  void remove(Item *item) {
    Link<Item> &link = item->*Member;
    (link.previous ? (link.previous->*Member).next : first_) = link.next;
    (link.next ? (link.next->*Member).previous : last_) = link.previous;
    link = {};
  }

private:
  Item *first_ = nullptr;
  Item *last_ = nullptr;
};

} // namespace abut
