// Turns the text of another tool into a trace without objects: every access stands for itself, at its address.
#pragma once

#include "trace/result.hpp"
#include "trace/writer.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace abut::imports {

enum class Format : uint8_t { din, lackey, drmemtrace };

// What was read. Fetches and the others are not in the trace.
struct Counts {
  uint64_t lines = 0;
  uint64_t accesses = 0;
  uint64_t fetches = 0;
  uint64_t others = 0;
};

// Which one it is, by its first lines, of which there are a few.
std::optional<Format> format_of(std::string_view begin);

// Reads the file, or standard input where `path` is "-". The error names the line, from 1. Memory does not grow with the
// text; lines are of 64 KiB at the most.
trace::Result<Counts> import_text(const std::string &path, Format format, trace::Writer &writer);

} // namespace abut::imports
