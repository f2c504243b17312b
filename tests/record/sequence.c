/* Uses its heap in every way that a single thread can, with no system call but one: it writes where its first block is
 * to standard output, so that two runs can be compared whose heaps lie elsewhere. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct node {
  struct node *next;
  long value;
};

static struct node *make_list(int count) {
  struct node *head = NULL;
  for (int i = 0; i < count; ++i) {
    struct node *node = malloc(sizeof *node);
    node->value = i;
    node->next = head;
    if (head == NULL && write(1, &node, sizeof node) != sizeof node) exit(1);
    head = node;
  }
  return head;
}

static long sum_and_free(struct node *head) {
  long sum = 0;
  while (head != NULL) {
    struct node *next = head->next;
    sum += head->value;
    free(head);
    head = next;
  }
  return sum;
}

static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static long sort_numbers(int count) {
  int *numbers = calloc((size_t)count, sizeof *numbers);
  for (int i = 0; i < count; ++i) numbers[i] = i * 7919 % 1009;
  qsort(numbers, (size_t)count, sizeof *numbers, by_value);
  long middle = numbers[count / 2];
  free(numbers);
  return middle;
}

static long grow_text(int count) {
  char *text = NULL;
  size_t length = 0;
  for (int i = 0; i < count; ++i) {
    text = realloc(text, length + 32);
    length += (size_t)sprintf(text + length, "%d,", i);
  }
  char *copy = strdup(text);
  long commas = 0;
  for (char *at = copy; (at = strchr(at, ',')) != NULL; ++at) ++commas;
  double *aligned = aligned_alloc(64, 1024);
  for (int i = 0; i < 128; ++i) aligned[i] = i * 0.5;
  commas += (long)aligned[100];
  free(aligned);
  free(copy);
  free(text);
  return commas;
}

int main(void) {
  long total = sum_and_free(make_list(200)) + sort_numbers(100) + grow_text(50);
  return (int)(total % 100);
}
