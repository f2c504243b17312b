#pragma once

#include <elf.h>

#define _STACK_GROWS_DOWN 1
#define DEFAULT_STACK_PERMS (PF_R | PF_W | PF_X)
