// Programs with one known fault of layout each: faults NAME COUNT.
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

uint64_t cold_fields(int count) {
  Wide *root = nullptr;
  std::vector<uint64_t> keys;
  for (int i = 0; i < count; ++i) {
    auto *node = static_cast<Wide *>(calloc(1, sizeof(Wide)));
    node->key = chance();
    keys.push_back(node->key);
    Wide **at = &root;
    while (*at != nullptr) at = node->key < (*at)->key ? &(*at)->left : &(*at)->right;
    *at = node;
  }
  uint64_t sum = 0;
  for (int i = 0; i < 2 * count; ++i) {
    const uint64_t key = keys[chance() % keys.size()];
    for (Wide *node = root; node->key != key;) node = key < node->key ? node->left : node->right;
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

uint64_t interleaved(int count) {
  constexpr int kLists = 128;
  Link *heads[kLists] = {}, **ends[kLists];
  for (int list = 0; list < kLists; ++list) ends[list] = &heads[list];
  for (int i = 0; i < count; ++i) {
    const int list = static_cast<int>(chance() % kLists);
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

uint64_t straddling(int count) {
  std::vector<Forty *> objects;
  for (int i = 0; i < count; ++i) {
    objects.push_back(new Forty);
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

uint64_t padding(int count) {
  std::vector<Loose *> objects;
  for (int i = 0; i < count; ++i) {
    auto *object = static_cast<Loose *>(calloc(1, sizeof(Loose)));
    object->x = object->y = object->z = object->weight = static_cast<double>(i);
    objects.push_back(object);
  }
  double sum = 0;
  for (int i = 0; i < 30 * count; ++i) {
    const Loose *object = objects[chance() % objects.size()];
    if (object->kind + object->colour + object->state + object->mark == 0)
      sum += object->x * object->y + object->z * object->weight;
  }
  return static_cast<uint64_t>(sum);
}

// Counters of two threads on one line.
struct Counter {
  volatile uint64_t value;
};

uint64_t false_sharing(int count) {
  auto *counters = new Counter[2]{};
  const auto work = [&](int own) {
    for (int i = 0; i < 20 * count; ++i) counters[own].value = counters[own].value + 1;
  };
  std::thread first(work, 0), second(work, 1);
  first.join();
  second.join();
  return counters[0].value + counters[1].value;
}

// Buffers that all begin in the same set of the cache.
uint64_t conflict(int count) {
  constexpr size_t kBuffers = 64, kPage = 4096;
  std::vector<uint64_t *> buffers;
  for (size_t i = 0; i < kBuffers; ++i) {
    void *buffer = nullptr;
    if (posix_memalign(&buffer, kPage, kPage) != 0) return 0;
    memset(buffer, 0, kPage);
    buffers.push_back(static_cast<uint64_t *>(buffer));
  }
  for (size_t i = 0; i < kBuffers; ++i) buffers[i][0] = (i * 5 + 1) % kBuffers;
  uint64_t at = 0, sum = 0;
  for (int i = 0; i < 20 * count; ++i) sum += at = buffers[at][0];
  return sum;
}

// A buffer for each step of a loop.
uint64_t temporaries(int count) {
  uint64_t sum = 0;
  for (int i = 0; i < 8 * count; ++i) {
    std::string text;
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

// What is called at one place only is inlined, as tests of advice want it.
int main(int argc, char **argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  const int count = argc > 2 ? atoi(argv[2]) : 0;
  uint64_t sum = 0;
  if (name == "cold")
    sum = cold_fields(count);
  else if (name == "interleaved")
    sum = interleaved(count);
  else if (name == "straddling")
    sum = straddling(count);
  else if (name == "padding")
    sum = padding(count);
  else if (name == "sharing")
    sum = false_sharing(count);
  else if (name == "conflict")
    sum = conflict(count);
  else if (name == "temporaries")
    sum = temporaries(count);
  else if (name == "fine")
    sum = fine(count);
  else
    return 2;
  printf("%llu\n", static_cast<unsigned long long>(sum));
  return 0;
}
