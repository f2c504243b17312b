/* Loads and unloads each library that it is given, and lets it allocate in between; says where its code lay. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **arguments) {
  for (int i = 1; i < count; ++i) {
    void *library = dlopen(arguments[i], RTLD_NOW);
    void *(*make)(void) = library != NULL ? (void *(*)(void))dlsym(library, "make") : NULL;
    if (make == NULL) return 1;
    printf("%p\n", (void *)make);
    for (int block = 0; block < 100; ++block) free(make());
    dlclose(library);
  }
  return 0;
}
