// The text formats of other tools, a line at a time. Text is not trusted: whatever a line holds, it is either understood
// or refused with a reason.
#pragma once

#include <cstdint>
#include <string_view>

namespace abut::imports {

// What lines say, in their order.
class Sink {
public:
  struct Access {
    uint64_t address = 0;
    uint32_t size = 0; // bytes
    bool write = false;
    uint64_t thread = 0; // as the tool names it; 0: it does not
    uint64_t code = 0;   // the instruction's address; 0: that of the last fetch
  };

  virtual void access(const Access &access) = 0;
  // An instruction was fetched from there.
  virtual void fetch(uint64_t thread, uint64_t address) = 0;
  // Something that is no access, such as a flush or a prefetch.
  virtual void other() = 0;

protected:
  ~Sink() = default;
};

// What is wrong with a line; null where it was understood.
using Complaint = const char *;

// No access of a program is longer.
inline constexpr uint64_t kMostAccessBytes = uint64_t{1} << 20;

// Dinero's, of both kinds. Plain: `label address`, where 0 reads, 1 writes, 2 fetches an instruction, 3 and 4 are
// something else; all are of 4 bytes. Extended: `letter address size`, with r, w, i, m (a read of some other kind), c and v
// (copy back, invalidate: no accesses). Numbers are hexadecimal; what follows is a comment.
Complaint read_din_line(std::string_view line, Sink &sink);

// Of valgrind's lackey with --trace-mem=yes: `I`, ` L`, ` S`, ` M`, then address (hexadecimal), comma and size. A
// modification (M) is a read and a write. What valgrind says besides begins with == or --.
Complaint read_lackey_line(std::string_view line, Sink &sink);

// Of DynamoRIO's drmemtrace and its `view` tool: `... thread kind N byte(s) @ 0xADDRESS [by PC 0xADDRESS] ...`.
Complaint read_drmemtrace_line(std::string_view line, Sink &sink);

} // namespace abut::imports
