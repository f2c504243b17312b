/* Gives pages back to the kernel in both ways; a third one, advice that forgets nothing, is none. */
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096 };

int main(void) {
  char *pages = mmap(0, 77 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return 1;
  pages[PAGE] = 1;
  madvise(pages + PAGE, 55 * PAGE, MADV_WILLNEED);
  madvise(pages + PAGE, 33 * PAGE, MADV_DONTNEED);
  munmap(pages, 77 * PAGE);
  return 0;
}
