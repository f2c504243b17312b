// Exact cover by Knuth's dancing links, after Cyll's cover: a sparse random matrix whose nodes are
// allocated one by one, row by row, and then unlinked and relinked column by column. The search is
// exhaustive; with the default density it mostly finds that there is no cover.
#include "common/aged.hpp"
#include "common/memory.hpp"
#include "common/options.hpp"
#include "common/phases.hpp"
#include "common/random.hpp"

#include <cinttypes>
#include <cstdio>

using bench::Random;

namespace {

struct Settings {
  std::uint64_t rows = 300;
  std::uint64_t columns = 300;
  std::uint64_t density = 20;
  std::uint64_t searches = 1;
  std::uint64_t aged = 0;
  std::uint64_t seed = 1;
  bool show = false;
  bool times = false;
};

// A node of the matrix; a column's header is one too, and counts the nodes below it.
struct Node {
  Node *left;
  Node *right;
  Node *up;
  Node *down;
  Node *column;
  std::uint64_t count;
};

Node *make_node(const Node *other) {
  auto *node = static_cast<Node *>(bench::allocate_bytes_near(sizeof(Node), other));
  node->left = node->right = node->up = node->down = node->column = node;
  node->count = 0;
  return node;
}

void insert_left_of(Node *node, Node *right) {
  node->right = right;
  node->left = right->left;
  right->left->right = node;
  right->left = node;
}

void insert_above(Node *node, Node *down) {
  node->down = down;
  node->up = down->up;
  down->up->down = node;
  down->up = node;
}

Node *build(const Settings &settings) {
  Random random(settings.seed);
  Node *root = make_node(nullptr);
  for (std::uint64_t i = 0; i < settings.columns; ++i) insert_left_of(make_node(root), root);
  for (std::uint64_t row = 0; row < settings.rows; ++row) {
    Node *first = nullptr;
    for (Node *column = root->right; column != root; column = column->right) {
      const bool set = random.below(100) < settings.density;
      if (settings.show) std::putchar(set ? '1' : '0');
      if (!set) continue;
      Node *node = make_node(first != nullptr ? first->left : column);
      node->column = column;
      insert_above(node, column);
      ++column->count;
      if (first == nullptr)
        first = node;
      else
        insert_left_of(node, first);
    }
    if (settings.show) std::putchar('\n');
  }
  return root;
}

template <bool kPings>
struct Search {
  Node *root;
  std::uint64_t solutions = 0;
  std::uint64_t tried = 0;
  std::uint64_t updates = 0;

  void cover(Node *column) {
    column->right->left = column->left;
    column->left->right = column->right;
    for (Node *row = column->down; row != column; row = row->down) {
      for (Node *node = row->right; node != row; node = node->right) {
        if constexpr (kPings) ping(node, 1);
        node->down->up = node->up;
        node->up->down = node->down;
        --node->column->count;
        ++updates;
      }
    }
  }

  static void uncover(Node *column) {
    for (Node *row = column->up; row != column; row = row->up) {
      for (Node *node = row->left; node != row; node = node->left) {
        ++node->column->count;
        node->down->up = node;
        node->up->down = node;
      }
    }
    column->right->left = column;
    column->left->right = column;
  }

  Node *narrowest_column() const {
    Node *best = root->right;
    for (Node *column = best->right; column != root; column = column->right)
      if (column->count < best->count) best = column;
    return best;
  }

  void run() {
    if (root->right == root) {
      ++solutions;
      return;
    }
    Node *column = narrowest_column();
    cover(column);
    for (Node *row = column->down; row != column; row = row->down) {
      ++tried;
      for (Node *node = row->right; node != row; node = node->right) cover(node->column);
      run();
      for (Node *node = row->left; node != row; node = node->left) uncover(node->column);
    }
    uncover(column);
  }
};

void destroy(Node *root) {
  for (Node *column = root->right; column != root;) {
    for (Node *node = column->down; node != column;) {
      Node *next = node->down;
      std::free(node);
      node = next;
    }
    Node *next = column->right;
    std::free(column);
    column = next;
  }
  std::free(root);
}

Settings parse(int argc, char **argv) {
  Settings settings;
  bench::Options options("cover", "Counts the exact covers of a random 0/1 matrix.");
  options.number("rows", settings.rows, {1, 1'000'000}, "rows");
  options.number("columns", settings.columns, {1, 100'000}, "columns");
  options.number("density", settings.density, {0, 100}, "of 100 places, how many hold a 1");
  options.number("searches", settings.searches, {1, 1'000'000}, "times that all is searched");
  options.number("aged", settings.aged, {0, bench::AgedHeap::kMostBytes}, bench::AgedHeap::kHelp);
  options.number("seed", settings.seed, {0, UINT64_MAX}, "seed of the matrix");
  options.flag("show", settings.show, "print the matrix");
  options.flag("hints", bench::hints, "name a friend for each node, which abut's heap hears of");
  options.flag("pings", bench::pings, "tell abut's heap what is used");
  options.flag("times", settings.times, "print phase times to standard error");
  options.parse(argc, argv);
  return settings;
}

template <bool kPings>
void search(const Settings &settings, Node *root, bench::Phases &phases) {
  phases.begin("search");
  Search<kPings> search{root};
  for (std::uint64_t i = 0; i < settings.searches; ++i) search.run();
  phases.begin("free");
  destroy(root);
  std::printf("rows %" PRIu64 " columns %" PRIu64 " solutions %" PRIu64 " tried %" PRIu64
              " updates %" PRIu64 "\n",
              settings.rows, settings.columns, search.solutions, search.tried, search.updates);
}

} // namespace

int main(int argc, char **argv) {
  const Settings settings = parse(argc, argv);
  const bench::AgedHeap aged(settings.aged, settings.seed);
  bench::Phases phases(settings.times);
  phases.begin("build");
  Node *root = build(settings);
  if (bench::pings)
    search<true>(settings, root, phases);
  else
    search<false>(settings, root, phases);
}
