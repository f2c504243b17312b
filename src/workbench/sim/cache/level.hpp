// A level of a tree of caches as the levels around it see it. Addresses and sizes are bytes.
#pragma once

#include "sim/cache/counts.hpp"
#include "sim/cache/line_request.hpp"
#include "sim/reference.hpp"

#include <cstdint>
#include <vector>

namespace abut::sim {

struct Request {
  uint64_t address = 0;
  uint32_t size = 0; // within a line of the level that is asked
  Kind kind = 0;
  Owner owner = 0;
};

enum class Purpose : uint8_t { demand, prefetch };

class Level {
public:
  Level() = default;
  Level(const Level &) = delete;
  Level &operator=(const Level &) = delete;
  virtual ~Level() = default;

  // References of the program, each within the level's lines or not.
  virtual void take(const References &references) = 0;
  // What a level above hands down, many at a time; else it comes by the calls below.
  virtual void take(const LineRequests &requests);
  // One that lies in one line; also a write that a level above passes on.
  virtual void reference(const Request &request) = 0;
  // A level above brings in what it missed. True where its copy is then dirty: an exclusive level gave its own away.
  virtual bool fetch(const Request &request, Purpose purpose) = 0;
  // A dirty line has left a level above.
  virtual void write_back(const Request &request) = 0;
  // A line has left a level above. Only called for exclusive levels.
  virtual void take_victim(const Request &request, bool dirty) = 0;
  // The line leaves a level below and so has to leave here; true where it was dirty, here or further above.
  virtual bool leave(uint64_t address, uint32_t size) = 0;

  virtual bool exclusive() const { return false; }
  virtual uint32_t line_bytes() const { return 0; }

  Counts counts;
  Level *below = nullptr;
  std::vector<Level *> above;
};

inline void Level::take(const LineRequests &requests) {
  for (const LineRequest &line_request : requests.list) {
    const Request request{line_request.line() * requests.line_bytes, requests.line_bytes,
                          line_request.kind(), line_request.owner};
    if (line_request.is_write_back())
      write_back(request);
    else
      fetch(request, Purpose::demand);
  }
}

// Below the last cache.
class Memory final : public Level {
public:
  void take(const References &) override {}
  void take(const LineRequests &requests) override {
    for (const LineRequest &line_request : requests.list) {
      Bytes &moved = line_request.is_write_back() ? written : read;
      moved[line_request.bits / LineRequest::kByAllocator & 1] += requests.line_bytes;
    }
  }
  void reference(const Request &request) override { add(written, request); }
  bool fetch(const Request &request, Purpose) override {
    add(read, request);
    return false;
  }
  void write_back(const Request &request) override { add(written, request); }
  void take_victim(const Request &, bool) override {}
  bool leave(uint64_t, uint32_t) override { return false; }

  // By side: of who asks for a line, and of who had brought one that goes back.
  using Bytes = std::array<uint64_t, kSides>;
  Bytes read{};
  Bytes written{};

private:
  static void add(Bytes &moved, const Request &request) {
    moved[index_of(side_of(request.kind))] += request.size;
  }
};

} // namespace abut::sim
