/* A child does the same as its parent after it. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void work(void) {
  for (int i = 0; i < 200; ++i) {
    void *volatile one = malloc((size_t)(40 + i));
    void *volatile other = calloc(1, (size_t)(2000 + i));
    one = realloc(one, 3000);
    free(other);
    free(one);
  }
}

int main(void) {
  if (fork() == 0) {
    work();
    _exit(0);
  }
  wait(NULL);
  work();
  return 0;
}
