// Nodes that generated code allocates, as a just-in-time compiler's does: its functions are in a map for perf.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct node {
  struct node *next;
  char cold[112];
};

int main(void) {
  // push rbp; mov rbp, rsp; mov edi, 120; mov rax, malloc; call rax; pop rbp; ret
  unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0xbf, 120, 0, 0,    0,    0x48, 0xb8, 0,
                          0,    0,    0,    0,    0,    0,   0, 0xff, 0xd0, 0x5d, 0xc3};
  void *(*target)(size_t) = malloc;
  memcpy(code + 11, &target, sizeof target);
  char *page =
      mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return 1;
  memcpy(page, code, sizeof code);
  char name[64];
  snprintf(name, sizeof name, "/tmp/perf-%d.map", (int)getpid());
  FILE *map = fopen(name, "w");
  if (map == NULL) return 1;
  fprintf(map, "%lx %zx Script::makeNode script.js:3\n", (unsigned long)page, sizeof code);
  fclose(map);
  struct node *first = NULL, *(*make)(void);
  memcpy(&make, &page, sizeof page);
  for (int i = 0; i < 3000; ++i) {
    struct node *made = make();
    made->next = first;
    first = made;
  }
  uintptr_t sum = 0;
  for (int walk = 0; walk < 10; ++walk)
    for (struct node *one = first; one != NULL; one = one->next) sum += one->next == NULL;
  printf("%lu\n", (unsigned long)sum);
  return 0;
}
