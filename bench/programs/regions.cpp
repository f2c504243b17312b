// Objects in regions, as a compiler has them: for each function of a source many small nodes of different sizes, which are
// walked some times and die together, while some outlive it. The regions are obstacks, malloc through the interface of
// obstacks, or reaps (Feng and Berger 2005, sections 2.3 and 4: 176.gcc, and what its authors put in its place).
#include "common/checksum.hpp"
#include "common/memory.hpp"
#include "common/options.hpp"
#include "common/random.hpp"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <obstack.h>
#include <string_view>
#include <vector>

#define obstack_chunk_alloc std::malloc
#define obstack_chunk_free std::free

namespace {

struct Settings {
  std::uint64_t functions = 400;
  std::uint64_t nodes = 4000;
  std::uint64_t walks = 4;
  std::uint64_t kept = 20;
  std::uint64_t seed = 1;
  std::string_view with = "malloc";
};

struct Node {
  Node *next;
  std::uint64_t value;
};

// The C library's own.
class Obstack {
public:
  Obstack() { obstack_init(&stack_); }
  ~Obstack() { obstack_free(&stack_, nullptr); }
  Obstack(const Obstack &) = delete;
  Obstack &operator=(const Obstack &) = delete;
  void *take(std::size_t bytes) { return obstack_alloc(&stack_, static_cast<int>(bytes)); }

private:
  obstack stack_{};
};

// A request each, and a list of them, so that all can be freed: the metadata that the paper's layer needed.
class Layer {
public:
  Layer() = default;
  ~Layer() {
    for (void *block : blocks_) std::free(block);
  }
  Layer(const Layer &) = delete;
  Layer &operator=(const Layer &) = delete;
  void *take(std::size_t bytes) {
    blocks_.push_back(bench::allocate_bytes(bytes));
    return blocks_.back();
  }

private:
  std::vector<void *> blocks_;
};

// A region until something is freed: here nothing is freed alone, so that it stays one. Each object has a header.
class Reap {
public:
  Reap() = default;
  ~Reap() {
    for (char *chunk : chunks_) std::free(chunk);
  }
  Reap(const Reap &) = delete;
  Reap &operator=(const Reap &) = delete;
  void *take(std::size_t bytes) {
    const std::size_t whole = (bytes + kHeader + 15) / 16 * 16;
    if (left_ < whole) {
      chunks_.push_back(static_cast<char *>(bench::allocate_bytes(kChunk)));
      left_ = kChunk;
    }
    char *header = chunks_.back() + (kChunk - left_);
    left_ -= whole;
    *reinterpret_cast<std::size_t *>(header) = whole;
    return header + kHeader;
  }

private:
  static constexpr std::size_t kChunk = 8192;
  static constexpr std::size_t kHeader = 8;
  std::vector<char *> chunks_;
  std::size_t left_ = 0;
};

template <typename Region>
void run(const Settings &settings) {
  bench::Random random(settings.seed);
  bench::Checksum sum;
  std::vector<Node *> kept;
  for (std::uint64_t function = 0; function < settings.functions; ++function) {
    Region region;
    Node *first = nullptr;
    for (std::uint64_t i = 0; i < settings.nodes; ++i) {
      auto *node = static_cast<Node *>(region.take(sizeof(Node) + 8 * random.below(12)));
      *node = {first, random.next()};
      first = node;
      if (random.below(1000) >= settings.kept) continue;
      kept.push_back(static_cast<Node *>(bench::allocate_bytes(sizeof(Node))));
      *kept.back() = *node;
    }
    for (std::uint64_t walk = 0; walk < settings.walks; ++walk)
      for (const Node *node = first; node != nullptr; node = node->next) sum.add(node->value);
  }
  for (Node *node : kept) {
    sum.add(node->value);
    std::free(node);
  }
  std::printf("functions %" PRIu64 " kept %zu checksum %016" PRIx64 "\n", settings.functions,
              kept.size(), sum.value());
}

Settings parse(int argc, char **argv) {
  Settings settings;
  // As heaps are chosen by the environment, so that runs of one command line can be compared.
  if (const char *with = std::getenv("REGIONS")) settings.with = with;
  bench::Options options("regions", "Allocates nodes that die together, function by function.");
  options.number("functions", settings.functions, {1, 10'000'000}, "regions, one after another");
  options.number("nodes", settings.nodes, {1, 100'000'000}, "nodes of each");
  options.number("walks", settings.walks, {0, 1'000'000}, "walks over each");
  options.number("kept", settings.kept, {0, 1000}, "of 1000 nodes, how many outlive their region");
  options.number("seed", settings.seed, {0, UINT64_MAX}, "seed");
  options.choice("with", settings.with, {"malloc", "obstack", "reap"},
                 "what regions are: a request a node, the C library's obstacks, or reaps; without "
                 "it, as REGIONS in the environment says");
  options.parse(argc, argv);
  return settings;
}

} // namespace

int main(int argc, char **argv) {
  const Settings settings = parse(argc, argv);
  if (settings.with == "obstack")
    run<Obstack>(settings);
  else if (settings.with == "reap")
    run<Reap>(settings);
  else
    run<Layer>(settings);
}
