/* Each function ends in an access that compilers leave to a library, 500 times each: all have one place to go back to. */
#include <stdlib.h>

typedef void (*function)(void *block);

__attribute__((noinline)) static void write_word(void *block) {
  __atomic_store_n((long *)block, 1, __ATOMIC_SEQ_CST);
}
__attribute__((noinline)) static void write_byte(void *block) {
  __atomic_store_n((char *)block, 1, __ATOMIC_SEQ_CST);
}
__attribute__((noinline)) static void read_word(void *block) {
  (void)__atomic_load_n((long *)block, __ATOMIC_SEQ_CST);
}
__attribute__((noinline)) static void read_byte(void *block) {
  (void)__atomic_load_n((char *)block, __ATOMIC_SEQ_CST);
}

int main(void) {
  static function volatile all[] = {write_word, write_byte, read_word, read_byte};
  void *block = malloc(8);
  for (int i = 0; i < 2000; ++i) all[i % 4](block);
  free(block);
  return 0;
}
