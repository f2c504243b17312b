// What the structures of `plain` are made of, and how their blocks come out of the heap: a node of
// the size asked for, then the parts that belong to it, then a temporary.
#pragma once

#include "common/memory.hpp"
#include "common/random.hpp"

#include <array>
#include <cstdint>
#include <cstring>

namespace plain {

// A block that belongs to a node: a string, a record, a buffer, a key. The walk reads it if it is hot.
struct Part {
  Part *next;
  std::uint64_t value;
};

// The first 24 bytes of every node. From 32 bytes on the parts follow, and from 40 on the node's
// last word holds its value once more: a walk reads both ends.
struct Node {
  Node *next;  // list, chain: the next; tree: the left child; document: the next sibling
  Node *other; // tree: the right child; document: the first child
  std::uint64_t value;
};

constexpr std::size_t kLeastWithParts = sizeof(Node) + sizeof(void *);
constexpr std::uint64_t kKinds = 4;

struct Making {
  std::uint64_t size = 64;
  std::uint64_t others = 0; // kinds of parts that are born with each node
  bool hot = false;         // are the parts read by the walk?
  bool temporaries = false;
};

class Maker {
public:
  Maker(const Making &making, std::uint64_t seed) : making_(making), random_(seed) {}
  ~Maker() {
    for (void *block : temporaries_) std::free(block);
  }
  Maker(const Maker &) = delete;
  Maker &operator=(const Maker &) = delete;

  Node *make(std::uint64_t value) {
    auto *node = static_cast<Node *>(bench::allocate_bytes(making_.size));
    std::memset(node, 0, making_.size);
    node->value = value;
    if (has_tail()) std::memcpy(tail_of(node), &value, sizeof value);
    if (making_.others != 0) make_parts(node);
    if (making_.temporaries) make_temporary();
    return node;
  }

  void free(Node *node) const {
    if (making_.others != 0)
      for (Part *part = *parts_of(node); part != nullptr;) {
        Part *next = part->next;
        std::free(part);
        part = next;
      }
    std::free(node);
  }

  // What a walk reads of a node.
  std::uint64_t read(Node *node) const {
    std::uint64_t sum = node->value;
    if (has_tail()) {
      std::uint64_t tail = 0;
      std::memcpy(&tail, tail_of(node), sizeof tail);
      sum += tail;
    }
    if (making_.hot)
      for (const Part *part = *parts_of(node); part != nullptr; part = part->next)
        sum += part->value;
    return sum;
  }

private:
  static Part **parts_of(Node *node) { return reinterpret_cast<Part **>(node + 1); }
  char *tail_of(Node *node) const { return reinterpret_cast<char *>(node) + making_.size - 8; }
  bool has_tail() const { return making_.size >= kLeastWithParts + sizeof(std::uint64_t); }

  void make_parts(Node *node) {
    for (std::uint64_t kind = 0; kind < making_.others; ++kind) {
      auto *part = static_cast<Part *>(allocate_part(kind));
      part->next = *parts_of(node);
      part->value = node->value + kind;
      *parts_of(node) = part;
    }
  }

  // One request of the program's text for each kind, as in programs that have such kinds.
  void *allocate_part(std::uint64_t kind) {
    switch (kind) {
    case 0: return bench::allocate_bytes(random_.between(17, 70)); // a string
    case 1: return bench::allocate_bytes(40);                      // a record
    case 2: return bench::allocate_bytes(112);                     // a buffer
    default: return bench::allocate_bytes(16);                     // a key
    }
  }

  // A temporary dies when eight more nodes have been made.
  void make_temporary() {
    void *&place = temporaries_.at(made_++ % temporaries_.size());
    std::free(place);
    const std::size_t size = random_.between(16, 256);
    place = bench::allocate_bytes(size);
    std::memset(place, 0, size);
  }

  Making making_;
  bench::Random random_;
  std::array<void *, 8> temporaries_{};
  std::uint64_t made_ = 0;
};

} // namespace plain
