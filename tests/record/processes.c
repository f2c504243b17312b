/* A child that frees what it has from its parent, allocates, and replaces itself by another program; a parent that
 * goes on. Prints what both end with. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *blocks[100];

static void child(const char *program) {
  for (int i = 0; i < 100; ++i) free(blocks[i]);
  volatile char *mine = malloc(1000);
  for (int i = 0; i < 1000; ++i) mine[i] = 1;
  if (program != NULL) execl(program, program, (char *)NULL);
  free((void *)mine);
  exit(3);
}

int main(int count, char **arguments) {
  for (int i = 0; i < 100; ++i) memset(blocks[i] = malloc(64), i, 64);
  fflush(stdout);
  const pid_t pid = fork();
  if (pid == 0) child(count > 1 ? arguments[1] : NULL);
  int status = 0;
  waitpid(pid, &status, 0);
  for (int i = 0; i < 100; ++i) free(blocks[i]);
  printf("child %d\n", WEXITSTATUS(status));
  return 5;
}
