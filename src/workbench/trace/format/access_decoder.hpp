// Turns a chunk's columns back into accesses, some thousands at a time.
//
// The columns come from a file and are not trusted: whatever they hold, nothing outside of them is read, and a chunk
// that cannot be is reported as such.
#pragma once

#include "trace/format/access_columns.hpp"
#include "trace/format/rules.hpp"

#include <cstdint>
#include <vector>

namespace abut::trace {

// Accesses as a structure of arrays; valid until the next ones are decoded.
struct AccessArrays {
  std::vector<uint64_t> objects;
  std::vector<uint64_t> offsets;
  std::vector<uint32_t> sizes;
  std::vector<uint8_t> kinds; // kWrite and kAllocator
  std::vector<uint32_t> threads;
  std::vector<uint64_t> codes;
  std::vector<uint8_t> sources; // as an access's
};

class AccessDecoder {
public:
  // How many accesses are decoded at a time at the most.
  static constexpr uint32_t kBatch = 16384;
  // So many bytes, of no meaning, must end the columns of objects and offsets: no column moves
  // further in one batch, so that the loop need not look where they end.
  static constexpr size_t kSlack = size_t{kBatch} * 8 + 8;

  AccessDecoder();

  // Begins a chunk of `count` accesses; its columns must outlive that. False where they cannot be.
  bool begin(uint32_t count, const AccessColumns &columns);

  uint32_t left() const { return count_ - done_; }

  // Decodes the next ones, at most `most`: how many they are, or 0 where there are none left, or none that can be.
  uint32_t next(uint32_t most);
  bool failed() const { return failed_; }

  const uint64_t *objects() const { return arrays_.objects.data(); }
  const uint64_t *offsets() const { return arrays_.offsets.data(); }
  const uint32_t *sizes() const { return arrays_.sizes.data(); }
  const uint8_t *kinds() const { return arrays_.kinds.data(); }
  const uint32_t *threads() const { return arrays_.threads.data(); }
  const uint64_t *codes() const { return arrays_.codes.data(); }
  const uint8_t *sources() const { return arrays_.sources.data(); }

private:
  // A rule in the form of the inner loop: one line of the cache.
  struct alignas(64) Step {
    Place step; // what is added
    Place mask; // which bits of the columns are added, too
    uint64_t code;
    uint32_t site;
    uint32_t size;
    uint16_t back;
    uint8_t object_bytes;
    uint8_t offset_bytes;
    uint8_t kind;
    uint8_t source;
  };

  // Where the columns are read; in a struct, so that the loop keeps them in registers.
  struct Cursor {
    const uint8_t *objects;
    const uint8_t *offsets;
  };

  Step step_of(const Rule &rule, const Site &site) const;
  bool read_rules();
  bool unfold(uint32_t count);
  void decode(uint32_t count);
  bool fill_threads(uint32_t count);
  bool within_columns() const;
  void keep_window(uint32_t decoded);

  std::vector<Step> steps_; // of each rule
  Groups groups_;
  std::vector<Place> sites_;   // the last place of each
  std::vector<uint32_t> next_; // rules of the accesses to come
  size_t next_begin_ = 0;
  size_t next_end_ = 0;
  size_t symbols_done_ = 0;
  AccessArrays arrays_;
  std::vector<Place> places_; // of the accesses; before them, of kWindow that came before
  const AccessColumns *columns_ = nullptr;
  Cursor cursor_{};
  size_t thread_at_ = 0;
  uint32_t thread_ = 0;
  uint64_t thread_left_ = 0;
  static constexpr uint64_t kMixed = UINT64_MAX;
  uint64_t all_threads_ = kMixed; // the thread that fills the whole array of threads
  uint32_t count_ = 0;
  uint32_t done_ = 0;
  uint32_t kept_ = 0; // decoded last time, and not yet moved into the window
  bool failed_ = false;
};

} // namespace abut::trace
