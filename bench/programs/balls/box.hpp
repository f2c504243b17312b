// Balls in a square box of side 1, without friction: the box knows where each ball is and what will
// happen to it next, and lets it happen.
#pragma once

#include "common/random.hpp"
#include "event_queue.hpp"

#include <vector>

namespace balls {

// What a ball remembers of a hit: a record as long as the account of it.
struct Memory {
  Memory *older;
  std::uint32_t length;
  char account[];
};

struct Ball {
  double x, y;   // where it was ...
  double vx, vy; // ... and how fast it went, at this time
  double time;
  double radius;
  double mass;
  std::uint32_t number;
  std::uint32_t hits; // counts everything that makes foreseen events void
  std::uint32_t column, row;
  std::uint32_t remembered;
  Memory *memories;
};

// A ball's place in a cell of the grid; the cell is a list of these.
struct Member {
  Ball *ball;
  Member *next;
};

class Box {
public:
  Box(std::uint64_t balls, bench::Random &random);
  ~Box();
  Box(const Box &) = delete;
  Box &operator=(const Box &) = delete;

  void step(); // lets the next event that still holds happen

  double energy() const;
  std::uint64_t overlaps(double slack) const;
  std::uint64_t collisions() const { return collisions_; }
  std::uint64_t foreseen() const { return queue_.made(); }
  std::uint64_t remembered_bytes() const;
  double time() const { return time_; }

private:
  Member *&cell(std::uint32_t column, std::uint32_t row) { return cells_[row * side_ + column]; }
  void enter_cell(Ball *ball);
  void leave_cell(Ball *ball);

  void move_to_now(Ball *ball) const;
  void happen(const Event &event);
  void collide(Ball *ball, Ball *other);
  void cross(Ball *ball);

  void foresee(Ball *ball);
  void foresee_wall(Ball *ball);
  void foresee_crossing(Ball *ball);
  void foresee_collision(Ball *ball, Ball *other);
  template <typename Act>
  void for_each_neighbour(const Ball *ball, Act act);

  std::uint32_t side_; // cells along a side; a ball meets none beyond the neighbouring cells
  std::vector<Ball *> balls_;
  std::vector<Member *> cells_;
  EventQueue queue_;
  double time_ = 0;
  std::uint64_t collisions_ = 0;
};

} // namespace balls
