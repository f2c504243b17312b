// Many singly linked lists, appended to in turn and then walked one after the other (Adcock's
// MLIST). The order of allocation is the worst for the walk: neighbours in memory belong to
// different lists, and each step of the walk lands on a new line.
#include "common/aged.hpp"
#include "common/checksum.hpp"
#include "common/memory.hpp"
#include "common/options.hpp"
#include "common/phases.hpp"
#include "common/random.hpp"

#include <cinttypes>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <list>
#include <vector>

using bench::Checksum;
using bench::Random;

namespace {

struct Settings {
  std::uint64_t nodes = 1'000'000;
  std::uint64_t lists = 128;
  std::uint64_t walks = 1;
  std::uint64_t payload = 16;
  std::uint64_t aged = 0;
  std::uint64_t seed = 1;
  std::string_view order = "turn";
  std::string_view kind = "own";
  bool times = false;
};

struct Node {
  Node *next;
  std::uint64_t value; // the first bytes of the payload
};

struct List {
  Node *head;
  Node *tail;
};

Node *make_node(std::uint64_t value, std::size_t payload) {
  auto *node = static_cast<Node *>(bench::allocate_bytes(offsetof(Node, value) + payload));
  node->next = nullptr;
  std::memset(&node->value, 0, payload);
  node->value = value;
  return node;
}

void append(List &list, Node *node) {
  if (list.tail == nullptr)
    list.head = node;
  else
    list.tail->next = node;
  list.tail = node;
}

// Calls `append_to(list, value)` for every node, in the order that the settings say.
template <class AppendTo>
void append_all(const Settings &settings, AppendTo append_to) {
  Random random(settings.seed);
  const bool in_turn = settings.order == "turn";
  std::uint64_t turn = 0;
  for (std::uint64_t i = 0; i < settings.nodes; ++i) {
    append_to(in_turn ? turn : random.below(settings.lists), i);
    turn = turn + 1 == settings.lists ? 0 : turn + 1;
  }
}

List *build(const Settings &settings) {
  auto *lists = bench::allocate_array<List>(settings.lists);
  for (std::uint64_t i = 0; i < settings.lists; ++i) lists[i] = {nullptr, nullptr};
  append_all(settings, [&](std::uint64_t chosen, std::uint64_t value) {
    append(lists[chosen], make_node(value, settings.payload));
  });
  return lists;
}

void walk(const List *lists, std::uint64_t count, Checksum &sum) {
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t total = 0;
    for (const Node *node = lists[i].head; node != nullptr; node = node->next) total += node->value;
    sum.add(total);
  }
}

void destroy(List *lists, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    for (Node *node = lists[i].head; node != nullptr;) {
      Node *next = node->next;
      std::free(node);
      node = next;
    }
  }
  std::free(lists);
}

// The same with lists of the program's own and with std::list.
void run_own(const Settings &settings, bench::Phases &phases, Checksum &sum) {
  phases.begin("build");
  List *lists = build(settings);
  phases.begin("walk");
  for (std::uint64_t i = 0; i < settings.walks; ++i) walk(lists, settings.lists, sum);
  phases.begin("free");
  destroy(lists, settings.lists);
}

void run_standard(const Settings &settings, bench::Phases &phases, Checksum &sum) {
  phases.begin("build");
  std::vector<std::list<std::uint64_t>> lists(settings.lists);
  append_all(settings,
             [&](std::uint64_t chosen, std::uint64_t value) { lists[chosen].push_back(value); });
  phases.begin("walk");
  for (std::uint64_t i = 0; i < settings.walks; ++i)
    for (const auto &list : lists) {
      std::uint64_t total = 0;
      for (const std::uint64_t value : list) total += value;
      sum.add(total);
    }
  phases.begin("free");
  lists.clear();
}

Settings parse(int argc, char **argv) {
  Settings settings;
  bench::Options options("lists", "Builds many linked lists at once, then walks them one by one.");
  options.number("nodes", settings.nodes, {1, 1'000'000'000}, "nodes in all lists together");
  options.number("lists", settings.lists, {1, 100'000'000}, "lists");
  options.number("walks", settings.walks, {0, 1'000'000}, "walks over all lists");
  options.number("payload", settings.payload, {8, 65536}, "bytes a node beside its link");
  options.choice("kind", settings.kind, {"own", "standard"},
                 "lists of the program's own, or std::list of 8 bytes");
  options.choice("order", settings.order, {"turn", "random"}, "which list grows next");
  options.number("aged", settings.aged, {0, bench::AgedHeap::kMostBytes}, bench::AgedHeap::kHelp);
  options.number("seed", settings.seed, {0, UINT64_MAX}, "seed of the random order");
  options.flag("times", settings.times, "print phase times to standard error");
  options.parse(argc, argv);
  return settings;
}

} // namespace

int main(int argc, char **argv) {
  const Settings settings = parse(argc, argv);
  const bench::AgedHeap aged(settings.aged, settings.seed);
  bench::Phases phases(settings.times);
  Checksum sum;
  if (settings.kind == "own")
    run_own(settings, phases, sum);
  else
    run_standard(settings, phases, sum);
  std::printf("lists %" PRIu64 " nodes %" PRIu64 " checksum %016" PRIx64 "\n", settings.lists,
              settings.nodes, sum.value());
}
