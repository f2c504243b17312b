// The collector's command line.
#pragma once

#include "collect/session/session.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace abut::record {

// How a program is watched: under Valgrind, or by a library that is preloaded.
enum class Recorder : uint8_t { valgrind, light, compiled };

struct Options {
  Recorder recorder = Recorder::valgrind;
  std::string output;
  std::string tool;     // the folder of the Valgrind tool
  std::string launcher; // Valgrind's own program, which starts children that are followed
  std::string preload;  // LD_PRELOAD of the program, where it is not the caller's
  std::string version;
  std::string machine;
  Selection selection;
  bool force = false;
  bool quiet = false;
  bool follow = false;
  bool lossless = false; // a program that is ahead of the collector waits for it
  std::vector<std::string> tool_options;
  std::vector<std::string> program;
};

// Which part of a run has its accesses recorded; for recorders inside the program.
struct Part {
  bool after_mark = false;  // from abut_trace_start() on
  uint64_t window_part = 0; // so many accesses of `window_whole`; 0: all
  uint64_t window_whole = 0;
};
// As the tool's options say.
Part part_of(const Options &options);

const char *name_of(Recorder);

// Throws std::invalid_argument. The one who calls the collector is `abut record`, which checks what users type.
Options read_options(const std::vector<std::string> &arguments);

} // namespace abut::record
