// Files that are read at the start of a program. None of these allocates or changes errno.
#pragma once

#include "base/units.hpp"

namespace abut::os {

// A descriptor, to be closed by close_file(); below 0 where there is none to be had.
int open_file(const char *path);

// The first `most` bytes, wherever the file stands; how many there are, and none where it cannot be read.
size_t read_file(int file, void *buffer, size_t most);

// Its length; zero of what is no file.
size_t file_bytes(int file);

// A file's contents, to be read only; null where it is no file that can be mapped, or is empty. `bytes` is its length.
const void *map_file(int file, size_t &bytes);

// The path of the running program, with its final zero; false where it is not known.
bool program_path(char *text, size_t most);

} // namespace abut::os
