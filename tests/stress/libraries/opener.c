// Loads libraries on behalf of the program: what is found where depends on who calls dlopen, as this library alone says
// where to search (RUNPATH).
#define _GNU_SOURCE // dlmopen
#include <dlfcn.h>
#include <stddef.h>

void *opener_open(const char *name, int flags);
void *opener_open_in(long space, const char *name, int flags);

// The results are looked at first, so that neither call is a jump.
void *opener_open(const char *name, int flags) {
  void *library = dlopen(name, flags);
  return library != NULL ? library : NULL;
}

void *opener_open_in(long space, const char *name, int flags) {
  void *library = dlmopen(space, name, flags);
  return library != NULL ? library : NULL;
}
