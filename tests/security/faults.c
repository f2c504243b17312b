/* One fault of a program, by kind and size, and then a look at what it did to the heap.

   usage: faults KIND BYTES, or faults --list
   Exit status: 0 the heap is as it was, 3 it hands out memory twice or memory that is not its own. A heap that notices
   the fault ends the program before that. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { kHarmless = 0, kUsage = 2, kMisled = 3, kLater = 64 };

static size_t bytes;
static char in_static[4096] __attribute__((aligned(64)));

/* The compiler must believe in every call. */
static void *hidden(void *pointer) {
  __asm__ volatile("" : "+r"(pointer) : : "memory");
  return pointer;
}
static char *block(void) { return hidden(malloc(bytes)); }
static void give_back(void *pointer) { free(hidden(pointer)); }

/* ---- freed twice ---- */
static void double_free(void) {
  char *a = block();
  give_back(a);
  give_back(a);
}
static void double_free_with_another_between(void) {
  char *a = block(), *b = block();
  give_back(a);
  give_back(b);
  give_back(a);
}
static void double_free_after_many(void) {
  static char *many[3000];
  for (int i = 0; i < 3000; ++i) many[i] = bytes > 5000 && i >= 30 ? NULL : block();
  for (int i = 0; i < 3000; ++i) give_back(many[i]);
  give_back(many[7]);
}
static void double_free_after_reuse(void) {
  char *a = block();
  give_back(a);
  char *b = block();
  give_back(a); /* perhaps b's */
  give_back(b);
}
static void *free_in_thread(void *pointer) {
  give_back(pointer);
  return NULL;
}
static void double_free_by_another_thread(void) {
  char *a = block();
  pthread_t thread;
  give_back(a);
  pthread_create(&thread, NULL, free_in_thread, a);
  pthread_join(thread, NULL);
}
static void double_free_by_two_threads(void) {
  char *a = block();
  pthread_t thread;
  for (int i = 0; i < 2; ++i) {
    pthread_create(&thread, NULL, free_in_thread, a);
    pthread_join(thread, NULL);
  }
  for (int i = 0; i < 100; ++i) give_back(block());
}
static void double_free_of_an_overwritten_block(void) {
  char *a = block();
  give_back(a);
  memset(hidden(a), 0x41, 24);
  give_back(a);
}
static void free_after_realloc(void) {
  char *a = block(), *between = block();
  char *grown = hidden(realloc(a, 64 * bytes));
  if (grown != a)
    give_back(a);
  else
    give_back(grown);
  give_back(grown);
  give_back(between);
}
static void realloc_after_free(void) {
  char *a = block();
  give_back(a);
  hidden(realloc(a, 2 * bytes));
}

/* ---- freed and never allocated ---- */
static void free_inside(void) { give_back(block() + 16); }
static void free_misaligned(void) { give_back(block() + 1); }
static void free_at_the_end(void) { give_back(block() + (bytes + 15) / 16 * 16); }
static void free_of_the_stack(void) {
  char local[256] __attribute__((aligned(64)));
  give_back(local + 64);
}
static void free_of_static_data(void) { give_back(in_static + 64); }
static void free_of_a_forged_block(void) { /* with a header as glibc has it */
  uint64_t *forged = (uint64_t *)in_static;
  const uint64_t size = (bytes + 8 + 15) / 16 * 16;
  memset(in_static, 0, sizeof in_static);
  forged[1] = size < 2048 ? size : 64;
  forged[forged[1] / 8 + 1] = 0x1234;
  give_back(forged + 2);
}
static void free_of_a_mapping(void) {
  give_back(mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
}
static void free_of_no_address(void) { give_back((void *)0x1230); }
static void realloc_inside(void) { hidden(realloc(hidden(block() + 16), 2 * bytes)); }

/* ---- written beyond ---- */
static void overflow(size_t count, int value) {
  char *a = block(), *b = block(), *c = block();
  memset(hidden(a + bytes), value, count);
  give_back(b);
  give_back(a);
  give_back(c);
}
static void overflow_by_a_byte(void) { overflow(1, 0x41); }
static void overflow_by_a_zero(void) { overflow(1, 0); }
static void overflow_by_sixteen(void) { overflow(16, 0x41); }
static void overflow_by_much(void) { overflow(64, 0x41); }
static void underflow(void) {
  char *a = block(), *b = block();
  memset(hidden(a - 8), 0x41, 8);
  give_back(a);
  give_back(b);
}
static void overflow_into_a_free_block(void) {
  char *a = block(), *b = block(), *c = block();
  give_back(b);
  memset(hidden(a + bytes), 0x41, 32);
  hidden(block());
  hidden(block());
  give_back(a);
  give_back(c);
}

/* ---- used after it was freed ---- */
static void write_after_free(size_t count, uint64_t word) {
  char *a = block(), *b = block();
  give_back(b);
  give_back(a);
  for (size_t at = 0; at + 8 <= count; at += 8) memcpy(hidden(a + at), &word, 8);
  hidden(block());
  hidden(block());
  hidden(block());
}
static void write_an_address_after_free(void) {
  write_after_free(8, (uint64_t)(uintptr_t)(in_static + 64));
}
static void write_letters_after_free(void) { write_after_free(16, 0x4141414141414141); }
static void write_all_after_free(void) { write_after_free(bytes, 0x4141414141414141); }

#define KIND(name)                                                                                 \
  { #name, name }
static const struct {
  const char *name;
  void (*commit)(void);
} kinds[] = {
    KIND(double_free),
    KIND(double_free_with_another_between),
    KIND(double_free_after_many),
    KIND(double_free_after_reuse),
    KIND(double_free_by_another_thread),
    KIND(double_free_by_two_threads),
    KIND(double_free_of_an_overwritten_block),
    KIND(free_after_realloc),
    KIND(realloc_after_free),
    KIND(free_inside),
    KIND(free_misaligned),
    KIND(free_at_the_end),
    KIND(free_of_the_stack),
    KIND(free_of_static_data),
    KIND(free_of_a_forged_block),
    KIND(free_of_a_mapping),
    KIND(free_of_no_address),
    KIND(realloc_inside),
    KIND(overflow_by_a_byte),
    KIND(overflow_by_a_zero),
    KIND(overflow_by_sixteen),
    KIND(overflow_by_much),
    KIND(underflow),
    KIND(overflow_into_a_free_block),
    KIND(write_an_address_after_free),
    KIND(write_letters_after_free),
    KIND(write_all_after_free),
};

/* Blocks that are handed out now must be the heap's own, and no two may overlap. */
static int look(void) {
  static unsigned char *later[kLater];
  for (int i = 0; i < kLater; ++i) {
    later[i] = (unsigned char *)block();
    if ((char *)later[i] >= in_static && (char *)later[i] < in_static + sizeof in_static)
      return kMisled;
    memset(later[i], i + 1, bytes < 64 ? bytes : 64);
  }
  for (int i = 0; i < kLater; ++i)
    for (size_t at = 0; at < bytes && at < 64; ++at)
      if (later[i][at] != i + 1) return kMisled;
  for (int i = 0; i < kLater; ++i) give_back(later[i]);
  return kHarmless;
}

int main(int count, char **arguments) {
  const size_t known = sizeof kinds / sizeof *kinds;
  for (size_t i = 0; count == 2 && i < known; ++i) puts(kinds[i].name);
  if (count != 3) return count == 2 ? 0 : kUsage;
  bytes = strtoul(arguments[2], NULL, 10);
  for (size_t i = 0; i < known; ++i) {
    if (strcmp(kinds[i].name, arguments[1]) != 0) continue;
    kinds[i].commit();
    return look();
  }
  return kUsage;
}
