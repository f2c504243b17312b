// Allocates in a constructor that runs before the preloaded heap's own constructor, and frees in a
// destructor that runs after it; asks the dynamic linker things, which allocates in turn.
#define _GNU_SOURCE // RTLD_DEFAULT
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEPT = 500 };
static unsigned char *kept[KEPT];

void early_life_begin(void);

__attribute__((constructor)) void early_life_begin(void) {
  if (kept[0] != NULL) return;
  for (int i = 0; i < KEPT; ++i) {
    kept[i] = malloc((size_t)i * i + 1);
    memset(kept[i], i, (size_t)i * i + 1);
    free(calloc(1, (size_t)i + 1));
  }
  dlsym(RTLD_DEFAULT, "no_such_symbol_anywhere");
  dlerror();
  dlclose(dlopen(NULL, RTLD_NOW | RTLD_DEEPBIND));
}

__attribute__((destructor)) static void early_life_end(void) {
  for (int i = 0; i < KEPT; ++i) {
    if (kept[i][i * i] != (unsigned char)i) _exit(3);
    free(kept[i]);
  }
  static const char words[] = "the last destructor is done\n";
  if (write(STDOUT_FILENO, words, sizeof words - 1) < 0) _exit(4);
}
