// What a trace says of its objects and how they belong together: the input of strategies.
//
// Read in one pass. It takes some forty bytes an object and twelve to thirty an edge, however long the trace is.
#pragma once

#include "layout/edges.hpp"
#include "trace/reader.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace abut::place {

struct ReadOptions {
  bool accesses = true; // else the events alone are read: no usage, no heat but that of touches
  // Chunks [from, to) whose accesses are read, in order; empty: all. Events are read throughout.
  std::vector<std::pair<size_t, size_t>> windows;
  // The pieces of code that allocate are related if they are used within so many objects of each other.
  uint32_t window = 8;
  // The number that stands for each context of the trace, by its number; contexts behind its end are 0. Empty: their own.
  std::vector<uint32_t> context_numbers;
  size_t most_edges = EdgeCounter::kMost;
};

// What is used all the time (an interpreter's stack, a parser's state) lies between any two other objects in `usage`, and
// all ways lead through it. So `arrivals` leaves out what is in use already: what was used since the last kInUse objects
// came, and lies in the first cache wherever it is placed.
constexpr uint32_t kInUse = 256;

// Columns have a row an object, row 0 is object 1; edges name rows.
struct Relations {
  static constexpr uint32_t kNever = UINT32_MAX;

  std::vector<uint32_t>
      size; // bytes at birth; 0: lost. Objects of 4 GiB and more count as one byte less
  std::vector<uint32_t> most;  // bytes, over its life
  std::vector<uint32_t> align; // bytes asked for; 0: any
  std::vector<uint32_t> context;
  std::vector<uint32_t> thread;
  std::vector<uint32_t> died; // how many objects had been born by then
  std::vector<uint64_t> heat; // accesses of the program, and the weights of its touches
  std::vector<uint64_t> address;

  EdgeList friends; // from the object that was named, to the one that was to be near it
  EdgeList
      usage; // from an object to the one that was accessed next; weighted (Cyll 2004, section 4.6)
  EdgeList arrivals; // from an object that came into use to the one that came next; weighted
  EdgeList
      contexts; // from context to context, within the window; both ways, the smaller number first
  uint64_t forgotten = 0; // edges of usage and of arrivals

  size_t count() const { return size.size(); }
};

// The reader keeps a list of the damage that is met.
Relations read_relations(trace::Reader &reader, const ReadOptions &options);

} // namespace abut::place
