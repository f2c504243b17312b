// Which module of the program an address of code belongs to.
#pragma once

#include "trace/events.hpp"
#include "trace/writer.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace abut::record {

class ModuleTable {
public:
  explicit ModuleTable(trace::Writer &writer) : writer_(writer) {}

  // A file, or a part of it, was mapped with the right to run.
  void mapped(uint64_t address, uint64_t bytes, uint64_t offset, const std::string &path);
  void unmapped(uint64_t address, uint64_t bytes);

  trace::Frame frame(uint64_t address) const;
  // Whether this is code of the recorder, which the program has nothing to do with.
  bool is_recorders(uint64_t address) const { return has(&Part::is_recorders, address); }
  bool is_c_library(uint64_t address) const { return has(&Part::is_c_library, address); }

private:
  struct Part {
    uint64_t end = 0;
    uint32_t number = 0;
    uint64_t base = 0;
    bool is_recorders = false;
    bool is_c_library = false;
  };
  const Part *find(uint64_t address) const;
  bool has(bool Part::*trait, uint64_t address) const;

  trace::Writer &writer_;
  std::map<uint64_t, Part> parts_; // by first address
};

} // namespace abut::record
