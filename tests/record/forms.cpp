// Every form of operator new and delete, and of realloc: 22 objects, all freed, of which 4 are aligned to 64.
#include <cstdlib>
#include <new>

struct alignas(64) Wide {
  char bytes[128];
};

static void *volatile kept;

template <typename T>
T *keep(T *pointer) {
  kept = pointer;
  return static_cast<T *>(kept);
}

static void plain() {
  delete keep(new int);                      // 1
  delete[] keep(new int[10]);                // 2
  delete keep(new (std::nothrow) int);       // 3
  delete[] keep(new (std::nothrow) int[10]); // 4
  delete keep(new Wide);                     // 5, aligned
  delete[] keep(new Wide[2]);                // 6, aligned
  delete keep(new (std::nothrow) Wide);      // 7, aligned
  delete[] keep(new (std::nothrow) Wide[2]); // 8, aligned
}

static void direct() {
  ::operator delete(keep(::operator new(10)));                      // 9
  ::operator delete (keep(::operator new(20)), std::size_t{20});    // 10
  ::operator delete(keep(::operator new(30)), std::nothrow);        // 11
  ::operator delete[](keep(::operator new[](40)));                  // 12
  ::operator delete[](keep(::operator new[](50)), std::size_t{50}); // 13
  ::operator delete[](keep(::operator new[](60)), std::nothrow);    // 14
  std::free(keep(::operator new(70)));                              // 15
}

static void resized() {
  std::free(std::realloc(keep(std::realloc(nullptr, 10)), 20)); // 16: null, then grown
  std::free(std::realloc(keep(std::malloc(100000)), 10));       // 17: shrunk
  void *gone = keep(std::malloc(10));                           // 18: freed by a size of 0
  if (std::realloc(gone, 0) != nullptr) std::abort();
  void *stays = keep(std::malloc(10)); // 19: cannot grow so far
  if (std::realloc(stays, static_cast<std::size_t>(-1) / 4) != nullptr) std::abort();
  std::free(stays);
  void *array = keep(reallocarray(nullptr, 10, 10)); // 20
  array = reallocarray(array, 10, 1000);
  std::free(array);
  void *moved = keep(std::malloc(1 << 20)); // 21: by mremap
  void *wall = keep(std::malloc(1 << 20));  // 22
  std::free(std::realloc(moved, 8 << 20));
  std::free(wall);
}

int main() {
  plain();
  direct();
  resized();
}
