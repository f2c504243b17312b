// Where the functions of a loaded object are, by the symbols in its file.
//
// Of programs that are stripped, only what they export has a name.
#pragma once

#include "base/units.hpp"

#include <span>
#include <string_view>

namespace abut::group {

struct Function {
  std::string_view name;
  uint64_t begin = 0, end = 0; // as offsets in the file, which symbols have
};

// An object's file, mapped to be read. Bytes that are no symbols of an ELF file are none.
class SymbolFile {
public:
  explicit SymbolFile(const char *path);
  ~SymbolFile();
  SymbolFile(const SymbolFile &) = delete;
  SymbolFile &operator=(const SymbolFile &) = delete;

  // Calls `visit(const Function &)` for each function that has a name and a length.
  template <class Visit>
  void each_function(Visit visit) const {
    Function function;
    for (size_t i = 0; i < symbols_; ++i)
      if (read(i, function)) visit(function);
  }

private:
  void find_symbols();
  bool read(size_t number, Function &function) const;
  bool holds(uint64_t offset, uint64_t bytes) const {
    return offset <= bytes_.size() && bytes <= bytes_.size() - offset;
  }

  std::span<const uint8_t> bytes_;
  size_t symbols_ = 0, first_ = 0; // how many, and where in the file
  std::string_view names_;
};

} // namespace abut::group
