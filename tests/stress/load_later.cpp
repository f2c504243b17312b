// Loads the library with dlopen into a running program whose threads already exist, and uses its
// heap beside the program's own. It fails if the library needs more static TLS than a running
// program has to give.
// Usage: load_later LIBABUT TLS_TAKER
#include "support/child.hpp"
#include "support/pattern.hpp"

#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <thread>
#include <vector>

namespace {

using support::require;

struct Heap {
  void *(*allocate)(std::size_t);
  void *(*resize)(void *, std::size_t);
  void (*release)(void *);
};

void *load(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) std::fprintf(stderr, "%s\n", dlerror());
  require(library != nullptr, "the library loads into a running program");
  return library;
}

Heap heap_of(void *library) {
  return {reinterpret_cast<decltype(Heap::allocate)>(dlsym(library, "malloc")),
          reinterpret_cast<decltype(Heap::resize)>(dlsym(library, "realloc")),
          reinterpret_cast<decltype(Heap::release)>(dlsym(library, "free"))};
}

void use(const Heap &heap) {
  std::vector<void *> blocks(2000); // from the program's own heap
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const std::size_t size = i * 37 % 9000 + 1;
    support::fill(blocks[i] = heap.allocate(size), size, i);
    blocks[i] = heap.resize(blocks[i], size * 2);
    require(support::holds(blocks[i], size, i), "contents survive a resize");
  }
  for (void *block : blocks) heap.release(block);
}

} // namespace

int main(int count, char **arguments) {
  require(count == 3, "two arguments: the library and the TLS taker");
  Heap heap{};
  std::barrier loaded(4);
  std::vector<std::thread> earlier;
  for (int i = 0; i < 3; ++i)
    earlier.emplace_back([&] {
      loaded.arrive_and_wait();
      use(heap);
    });
  load(arguments[2]); // leaves less for the library
  void *library = load(arguments[1]);
  heap = heap_of(library);
  loaded.arrive_and_wait();
  use(heap);
  std::thread([&heap] { use(heap); }).join();
  for (std::thread &thread : earlier) thread.join();
  dlclose(library);
  std::puts("the library's heap worked beside the program's own");
  return 0;
}
