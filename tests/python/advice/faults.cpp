// Programs with one known fault of layout each, and how they are without it: faults NAME [mended] [SCALE].
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <thread>
#include <vector>

namespace {

uint64_t state = 88172645463325252U;
uint64_t chance() {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

// Keys and links are used, the payload never: a tree of wide nodes.
struct Wide {
  Wide *left, *right;
  uint64_t key;
  char payload[104];
};
struct Narrow {
  Narrow *left, *right;
  uint64_t key;
  char *payload;
};

template <typename Node>
uint64_t cold_fields(int count) {
  Node *root = nullptr;
  std::vector<uint64_t> keys;
  for (int i = 0; i < count; ++i) {
    auto *node = static_cast<Node *>(calloc(1, sizeof(Node)));
    node->key = chance();
    keys.push_back(node->key);
    Node **at = &root;
    while (*at != nullptr) at = node->key < (*at)->key ? &(*at)->left : &(*at)->right;
    *at = node;
  }
  uint64_t sum = 0;
  for (int i = 0; i < 2 * count; ++i) {
    const uint64_t key = keys[chance() % keys.size()];
    for (Node *node = root; node->key != key;) node = key < node->key ? node->left : node->right;
    sum += key;
  }
  return sum;
}

// Lists that grow in turn, and are walked one after the other.
struct Link {
  Link *next;
  uint64_t value, others[3];
};

Link **append(Link **end) {
  Link *link = static_cast<Link *>(malloc(sizeof(Link)));
  *link = {nullptr, chance(), {}};
  *end = link;
  return &link->next;
}

uint64_t interleaved(int count, bool mended) {
  constexpr int kLists = 128;
  Link *heads[kLists] = {}, **ends[kLists];
  for (int list = 0; list < kLists; ++list) ends[list] = &heads[list];
  for (int i = 0; i < count; ++i) {
    const int drawn = static_cast<int>(chance() % kLists);
    const int list = mended ? static_cast<int>(int64_t{i} * kLists / count) : drawn;
    ends[list] = append(ends[list]);
  }
  uint64_t sum = 0;
  for (int walk = 0; walk < 12; ++walk)
    for (Link *head : heads)
      for (Link *link = head; link != nullptr; link = link->next) sum += link->value;
  return sum;
}

// Objects of 40 bytes at multiples of 16, whose first and last words are used: every second one lies on two lines. One in
// sixteen is used at a time, soon others, and both words together say which is next.
struct Forty {
  uint32_t first, middle[8], last;
};
struct alignas(64) Aligned {
  uint32_t first, middle[8], last;
};

template <typename Object>
uint64_t straddling(int count) {
  std::vector<Object *> objects;
  Object *pool = alignof(Object) > 16 ? new Object[static_cast<size_t>(count)] : nullptr;
  for (int i = 0; i < count; ++i) {
    objects.push_back(pool != nullptr ? pool + i : new Object);
    *objects.back() = {0, {}, static_cast<uint32_t>(chance())};
  }
  uint64_t sum = 0;
  const size_t used = objects.size() / 16;
  for (int phase = 0; phase < 64; ++phase) {
    for (size_t i = 0; i < used; ++i)
      std::swap(objects[i], objects[i + chance() % (objects.size() - i)]);
    for (size_t i = 0; i < used; ++i)
      objects[i]->first = static_cast<uint32_t>((i + 1) % used) ^ objects[i]->last;
    uint32_t at = 0;
    for (int i = 0; i < 2 * count; ++i) sum += at = objects[at]->first ^ objects[at]->last;
  }
  return sum;
}

// Members with holes between them.
struct Loose {
  char kind;
  double x;
  char colour;
  double y;
  char state;
  double z;
  char mark;
  double weight;
};
struct Tight {
  double x, y, z, weight;
  char kind, colour, state, mark;
};

template <typename Object>
uint64_t padding(int count) {
  std::vector<Object *> objects;
  for (int i = 0; i < count; ++i) {
    auto *object = static_cast<Object *>(calloc(1, sizeof(Object)));
    object->x = object->y = object->z = object->weight = static_cast<double>(i);
    objects.push_back(object);
  }
  double sum = 0;
  for (int i = 0; i < 30 * count; ++i) {
    const Object *object = objects[chance() % objects.size()];
    if (object->kind + object->colour + object->state + object->mark == 0)
      sum += object->x * object->y + object->z * object->weight;
  }
  return static_cast<uint64_t>(sum);
}

// Counters of two threads on one line.
struct Counter {
  volatile uint64_t value;
};
struct alignas(128) Padded {
  volatile uint64_t value;
};

template <typename Count>
uint64_t false_sharing(int count) {
  auto *counters = new Count[2]{};
  const auto work = [&](int own) {
    for (int i = 0; i < 20 * count; ++i) counters[own].value = counters[own].value + 1;
  };
  std::thread first(work, 0), second(work, 1);
  first.join();
  second.join();
  return counters[0].value + counters[1].value;
}

// Buffers that all begin in the same set of the cache.
uint64_t conflict(int count, bool mended) {
  constexpr size_t kBuffers = 64, kPage = 4096;
  std::vector<uint64_t *> buffers;
  for (size_t i = 0; i < kBuffers; ++i) {
    void *buffer = nullptr;
    if (posix_memalign(&buffer, kPage, kPage + (mended ? i * 64 : 0)) != 0) return 0;
    memset(buffer, 0, kPage);
    buffers.push_back(static_cast<uint64_t *>(buffer) + (mended ? i * 8 : 0));
  }
  for (size_t i = 0; i < kBuffers; ++i) buffers[i][0] = (i * 5 + 1) % kBuffers;
  uint64_t at = 0, sum = 0;
  for (int i = 0; i < 20 * count; ++i) sum += at = buffers[at][0];
  return sum;
}

// A buffer for each step of a loop.
uint64_t temporaries(int count, bool mended) {
  uint64_t sum = 0;
  std::string kept;
  for (int i = 0; i < 8 * count; ++i) {
    std::string fresh;
    std::string &text = mended ? kept : fresh;
    text.assign(40, static_cast<char>('a' + i % 26));
    sum += static_cast<uint64_t>(text[i % 40]);
  }
  return sum;
}

// Nothing is wrong: what lies together is used together.
uint64_t fine(int count) {
  std::vector<uint64_t> numbers(static_cast<size_t>(count));
  uint64_t sum = 0;
  for (int walk = 0; walk < 20; ++walk)
    for (uint64_t &number : numbers) sum += number += static_cast<uint64_t>(walk);
  return sum;
}

} // namespace

int main(int argc, char **argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  const bool mended = argc > 2 && strcmp(argv[2], "mended") == 0;
  const int count = argc > 3 ? atoi(argv[3]) : 20000;
  uint64_t sum = 0;
  if (name == "cold")
    sum = mended ? cold_fields<Narrow>(count) : cold_fields<Wide>(count);
  else if (name == "interleaved")
    sum = interleaved(count, mended);
  else if (name == "straddling")
    sum = mended ? straddling<Aligned>(count) : straddling<Forty>(count);
  else if (name == "padding")
    sum = mended ? padding<Tight>(count) : padding<Loose>(count);
  else if (name == "sharing")
    sum = mended ? false_sharing<Padded>(count) : false_sharing<Counter>(count);
  else if (name == "conflict")
    sum = conflict(count, mended);
  else if (name == "temporaries")
    sum = temporaries(count, mended);
  else if (name == "fine")
    sum = fine(count);
  else
    return 2;
  printf("%llu\n", static_cast<unsigned long long>(sum));
  return 0;
}
