/* A library for library_test.cpp, which the dynamic linker never sees. */
#include <stddef.h>
#include <string.h>

typedef size_t (*Count)(const char *text);

static size_t count_words(const char *text) {
  size_t words = 0;
  for (size_t i = 0; text[i] != 0; ++i) words += text[i] != ' ' && (i == 0 || text[i - 1] == ' ');
  return words;
}

/* Filled in with an address of this library's, and with one of another's. */
const Count sample_counts[2] = {count_words, strlen};

/* Not in the file, but in the last page that is. */
int sample_calls;

#ifdef SAMPLE_HAS_THREAD_LOCALS
__thread int sample_thread_local;
#endif

#ifdef SAMPLE_HAS_PAGES_BEYOND_THE_FILE
char sample_beyond[1 << 20];
#endif

size_t sample_count(unsigned which, const char *text) {
  ++sample_calls;
  return sample_counts[which](text);
}

int sample_called(void) { return sample_calls; }
