// A cover: a sum of cubes, each in a block of its own, and the recursions over covers on which
// two-level minimisation stands. Every step of a recursion makes covers and throws them away.
#pragma once

#include "cube.hpp"

#include <memory>
#include <vector>

namespace minimise {

class Cover {
public:
  explicit Cover(std::uint64_t inputs) : inputs_(inputs) {}

  std::uint64_t inputs() const { return inputs_; } // a bit for every input
  std::size_t size() const { return cubes_.size(); }
  std::uint64_t literal_count() const;
  const Cube &operator[](std::size_t place) const { return *cubes_[place]; }
  Cube &operator[](std::size_t place) { return *cubes_[place]; }

  void add(const Cube &cube) { cubes_.push_back(std::make_unique<Cube>(cube)); }
  void add_all(const Cover &other);
  void remove(std::size_t place) {
    cubes_.erase(cubes_.begin() + static_cast<std::ptrdiff_t>(place));
  }
  void remove_contained();
  void sort_by_literals(); // the largest cubes, of the fewest literals, first

  Cube universe(std::uint64_t outputs) const { return {inputs_, inputs_, outputs}; }

  // The cubes that meet `within`, as seen from inside it, but the one at `except`.
  static constexpr std::size_t kNone = SIZE_MAX;
  Cover cofactor(const Cube &within, std::size_t except = kNone) const;

  // The following look at inputs alone: all cubes must be of one output.
  bool is_tautology() const;
  Cover complement(std::uint64_t outputs) const;

private:
  std::uint64_t most_binate_input() const;
  bool has_universe() const;

  std::uint64_t inputs_;
  std::vector<std::unique_ptr<Cube>> cubes_;
};

} // namespace minimise
