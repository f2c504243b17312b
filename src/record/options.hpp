// What the collector is told to do, on its command line.
#pragma once

#include "record/session.hpp"

#include <string>
#include <vector>

namespace abut::record {

struct Options {
  std::string output;
  std::string tool;     // the folder of the Valgrind tool
  std::string launcher; // Valgrind's own program, which starts children that are followed
  std::string preload;  // LD_PRELOAD of the program, where it is not the caller's
  std::string version;
  std::string machine;
  Wanted wanted;
  bool force = false;
  bool quiet = false;
  bool follow = false;
  std::vector<std::string> tool_options;
  std::vector<std::string> program;
};

// Throws std::invalid_argument. The one who calls the collector is `abut record`, which checks what users type.
Options read_options(const std::vector<std::string> &arguments);

} // namespace abut::record
