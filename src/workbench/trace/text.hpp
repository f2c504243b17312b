// A trace as text, streamed: a line a step, for people, or a line an access, as Dinero and its kin read them.
#pragma once

#include "trace/batches.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace abut::trace {

class TextExport {
public:
  enum class Form : uint8_t {
    steps, // every access and every event
    din, // 0 (read) or 1 (write), and the address that the access had; left out where it is not known
  };

  // The reader must outlive it. What is at `path` is overwritten.
  static Result<TextExport> open(Reader &reader, Form form, const std::string &path);

  // Writes some thousands of steps more: how many accesses are done; the whole number where all is written.
  Result<uint64_t> next();
  bool done() const { return done_; }

private:
  TextExport(Reader &reader, Form form, OutputFile file);

  template <typename Write>
  void add_line(const Write &write);
  void add_step(uint32_t index);
  void add_event(const Event &event);
  void add_address(uint32_t index);
  void apply(const Event &event);
  void flush();

  Batches batches_;
  Form form_;
  OutputFile file_;
  Bytes buffer_;
  size_t used_ = 0;
  std::vector<uint64_t> places_; // of the objects, where they are known; else 0
  uint64_t accesses_ = 0;
  bool done_ = false;
};

} // namespace abut::trace
