// Libraries that are alike but for the sizes of their frames.
#include <stddef.h>

__attribute__((noinline)) static void call_deeper(void (*function)(void)) {
  volatile char frame[FRAME];
  frame[0] = 1;
  function();
  frame[FRAME - 1] = 1;
}

__attribute__((visibility("default"))) void call_back(void (*function)(void)) {
  volatile char frame[FRAME / 2];
  frame[0] = 1;
  call_deeper(function);
  frame[FRAME / 2 - 1] = 1;
}
