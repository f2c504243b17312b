"""Frees an address inside a block, as a program with a bug would."""

import ctypes

libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
block = libc.malloc(100)
libc.free(ctypes.c_void_p(block + 16))
