// Procedures around an allocation, each compiled in several manners, and what a walk should say of them.
#pragma once

#include <stddef.h>

typedef enum { PASSES_ON, GIVES_BACK, KNOWS_THE_BLOCK } Expected;

typedef struct {
  const char *name;
  void (*call)(void);
  Expected expected;
} WrapperCase;

#ifdef __cplusplus
extern "C" {
#endif
void *case_malloc(size_t bytes);
#ifdef __cplusplus
}
#endif
