// Leaves the allocator by an exception and by a longjmp, then writes a block a thousand times.
#include <csetjmp>
#include <cstdlib>
#include <new>

static constexpr std::size_t kTooMuch = static_cast<std::size_t>(1) << 60;
static jmp_buf before;

static void jump() { longjmp(before, 1); }

static void write_all(volatile int *block) {
  for (int i = 0; i < 1000; ++i) block[i] = i;
}

int main(int, char **arguments) {
  volatile int *block = new int[1000];
  const char *volatile way = arguments[1];
  if (way[0] == 'e') {
    try {
      delete[] new char[kTooMuch / static_cast<std::size_t>(way[1] == 0 ? 1 : 2)];
    } catch (const std::bad_alloc &) {
      write_all(block);
    }
  } else {
    std::set_new_handler(jump);
    if (setjmp(before) == 0)
      delete[] new char[kTooMuch / static_cast<std::size_t>(way[1] == 0 ? 1 : 2)];
    write_all(block);
  }
  delete[] block;
}
