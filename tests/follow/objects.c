/* Two kinds of objects by turns, used in the reverse order of birth; prints where each lies. What it does otherwise than
 * the run that was recorded, its first argument says; the second is how many there are. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 200000 };
static struct node {
  long value;
  char *name;
  char more[32];
} * nodes[MOST];
static char *names[MOST];
static const char *mode;
static int count;

static void touch(void) {
  for (int walk = 0; walk < 3; ++walk)
    for (int i = count - 1; i >= 0; --i)
      if (nodes[i] != NULL) nodes[i]->value += names[i][0];
}

static int is(const char *name) { return strcmp(mode, name) == 0; }

static void make(int from, int to) {
  for (int i = from; i < to; ++i) {
    int odd = i % 50 == 7;
    for (int again = 0; again < (odd && is("extra") ? 2 : 1); ++again) {
      size_t bytes = odd && is("resized") ? 96 : again ? 64 : sizeof(struct node);
      nodes[i] = odd && is("missing") ? NULL : malloc(bytes);
      if (nodes[i] != NULL) memset(nodes[i], 1, bytes);
    }
    names[i] = calloc(1, 24);
    if (names[i][0] != 0) abort();
    names[i][0] = 'n';
    if (nodes[i] != NULL) nodes[i]->name = names[i];
  }
}

static void *work(void *argument) {
  long part = (long)argument;
  make((int)part * count / 4, (int)(part + 1) * count / 4);
  return NULL;
}

/* Requests that no plan knows of: many that are freed at once, then many that stay. */
static void do_something_else(void) {
  static void *kept[400000];
  for (int i = 0; i < 1200000; ++i) {
    kept[0] = malloc(40);
    free(kept[0]);
  }
  for (int i = 0; i < 400000; ++i) kept[i] = malloc(40);
  for (int i = 0; i < 400000; ++i) free(kept[i]);
}

/* Children, each with a part of the objects while threads make the rest. */
static void fork_often(void) {
  for (int i = 0; i < 16; ++i) {
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
      work(0);
      for (int at = 0; at < count / 4; ++at) free(nodes[at]);
      _exit(0);
    }
    if (waitpid(child, &status, 0) != child || status != 0) abort();
  }
}

static void print_lines(const char *path, const char *with) {
  static char line[4096];
  FILE *file = fopen(path, "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL)
    if (strstr(line, with) != NULL) fputs(line, stdout);
  fflush(stdout);
}

int main(int argc, char **argv) {
  mode = argc > 1 ? argv[1] : "exact";
  count = argc > 2 ? atoi(argv[2]) : 1000;
  if (is("else")) do_something_else();
  if (is("truncates") && truncate(getenv("ABUT_PLAN"), 0) != 0) abort();
  if (is("threads") || is("forks")) {
    pthread_t threads[4];
    for (long i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, work, (void *)i);
    if (is("forks")) fork_often();
    for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  } else {
    make(is("backwards") ? count / 2 : 0, count);
    if (is("backwards")) make(0, count / 2);
  }
  touch();
  if (is("peak")) print_lines("/proc/self/status", "VmHWM");
  for (int i = 0; i < count && !is("peak"); ++i)
    printf("%p %p\n", (void *)nodes[i], (void *)names[i]);
  fflush(stdout);
  for (int i = 0; i < count; ++i) {
    if (i % 3 == 0 && nodes[i] != NULL && is("again")) nodes[i] = realloc(nodes[i], 200);
    if (nodes[i] != NULL && nodes[i]->name != names[i]) abort();
    free(nodes[i]);
    free(names[i]);
  }
  if (is("again")) { /* everything once more: the slots are used up, and the heap serves */
    make(0, count);
    touch();
  }
  return 0;
}
