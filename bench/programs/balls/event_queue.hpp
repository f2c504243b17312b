// What will happen, soonest first: a pairing heap, whose nodes are the events themselves, each in a
// block of its own. Most events come to nothing, because one of the balls is hit by another before.
#pragma once

#include "common/memory.hpp"

#include <cstdint>

namespace balls {

struct Ball;

enum class Kind : std::uint8_t { collision, wall_x, wall_y, crossing };

struct Event {
  double time;
  std::uint64_t number; // breaks ties, so that the order never depends on addresses
  Ball *ball;
  Ball *other;              // of a collision
  std::uint32_t hits;       // what the balls had been through when this was foreseen:
  std::uint32_t other_hits; // if they have been through more since, it no longer holds
  Kind kind;
  Event *child;
  Event *sibling;
};

class EventQueue {
public:
  EventQueue() = default;
  ~EventQueue() {
    while (root_ != nullptr) std::free(pop());
  }
  EventQueue(const EventQueue &) = delete;
  EventQueue &operator=(const EventQueue &) = delete;

  Event *add(double time, Kind kind) {
    auto *event = bench::allocate<Event>();
    *event = {time, made_++, nullptr, nullptr, 0, 0, kind, nullptr, nullptr};
    root_ = root_ == nullptr ? event : meld(root_, event);
    return event;
  }

  // The soonest event; the caller frees it.
  Event *pop() {
    Event *first = root_;
    root_ = meld_pairs(first->child);
    return first;
  }

  std::uint64_t made() const { return made_; }

private:
  static bool before(const Event *a, const Event *b) {
    return a->time != b->time ? a->time < b->time : a->number < b->number;
  }

  static Event *meld(Event *a, Event *b) {
    Event *sooner = before(a, b) ? a : b;
    Event *later = sooner == a ? b : a;
    later->sibling = sooner->child;
    sooner->child = later;
    return sooner;
  }

  // Two passes without recursion: pairs are melded from the left, then all of them from the right.
  static Event *meld_pairs(Event *first) {
    Event *pairs = nullptr;
    while (first != nullptr) {
      Event *second = first->sibling;
      Event *rest = second == nullptr ? nullptr : second->sibling;
      first->sibling = nullptr;
      if (second != nullptr) {
        second->sibling = nullptr;
        first = meld(first, second);
      }
      first->sibling = pairs;
      pairs = first;
      first = rest;
    }
    Event *whole = nullptr;
    while (pairs != nullptr) {
      Event *rest = pairs->sibling;
      pairs->sibling = nullptr;
      whole = whole == nullptr ? pairs : meld(whole, pairs);
      pairs = rest;
    }
    return whole;
  }

  Event *root_ = nullptr;
  std::uint64_t made_ = 0;
};

} // namespace balls
