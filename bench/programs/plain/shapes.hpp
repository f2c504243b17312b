// The structures of `plain`. Each is built in the order of its walk or at random, walked, freed.
#pragma once

#include "node.hpp"

#include <cstdint>
#include <memory>
#include <string_view>

namespace plain {

class Shape {
public:
  explicit Shape(Maker &maker) : maker_(maker) {}
  virtual ~Shape() = default;
  Shape(const Shape &) = delete;
  Shape &operator=(const Shape &) = delete;

  virtual void build(std::uint64_t nodes, bool at_random, bench::Random &random) = 0;
  // The sum of what it reads of every node, each weighed with its place in the walk.
  virtual std::uint64_t walk() = 0;
  virtual void free() = 0;

protected:
  Maker &maker() { return maker_; }

private:
  Maker &maker_;
};

// `name` is one of list, tree, document, hash, vector.
std::unique_ptr<Shape> make_shape(std::string_view name, Maker &maker);

} // namespace plain
