/* A child that frees what it has from its parent, allocates, and replaces itself by another program; a parent that
 * goes on. Prints what both end with. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static void *blocks[100];

/* As servers do that write their title there. The environment is the same, elsewhere. */
static void write_over_environment(void) {
  static char copies[1 << 17];
  char *to = copies;
  for (char **entry = environ; *entry != NULL; ++entry) {
    const size_t bytes = strlen(*entry) + 1;
    if (bytes > (size_t)(copies + sizeof copies - to)) continue;
    memcpy(to, *entry, bytes);
    memset(*entry, 'x', bytes - 1);
    *entry = to;
    to += bytes;
  }
}

static void child(const char *program) {
  for (int i = 0; i < 100; ++i) free(blocks[i]);
  volatile char *mine = malloc(1000);
  for (int i = 0; i < 1000; ++i) mine[i] = 1;
  if (program != NULL) execl(program, program, (char *)NULL);
  free((void *)mine);
  exit(3);
}

int main(int count, char **arguments) {
  write_over_environment();
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
