#include "box.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace balls {

namespace {

constexpr std::uint32_t kMemorySpan = 12;

void forget_oldest(Ball *ball) {
  Memory **last = &ball->memories;
  while ((*last)->older != nullptr) last = &(*last)->older;
  std::free(*last);
  *last = nullptr;
  --ball->remembered;
}

void remember(Ball *ball, const Ball *other, double time) {
  char account[160];
  int length = std::snprintf(account, sizeof(account), "met ball %u", other->number);
  for (std::uint32_t i = 0; i < ball->hits % 8; ++i)
    length += std::snprintf(account + length, sizeof(account) - static_cast<std::size_t>(length),
                            " at %.6f", time);
  const auto size = static_cast<std::uint32_t>(length) + 1;
  auto *memory = static_cast<Memory *>(bench::allocate_bytes(sizeof(Memory) + size));
  memory->older = ball->memories;
  memory->length = size;
  std::memcpy(memory->account, account, size);
  ball->memories = memory;
  if (++ball->remembered > kMemorySpan) forget_oldest(ball);
}

// Balls start on a lattice, so that none overlaps another; radii and speeds are random.
Ball *make_ball(std::uint32_t number, std::uint32_t per_side, bench::Random &random) {
  const double spacing = 1.0 / per_side;
  auto *ball = bench::allocate<Ball>();
  *ball = Ball{};
  ball->number = number;
  ball->x = (number % per_side + 0.5) * spacing;
  const std::uint32_t row = number / per_side;
  ball->y = (row + 0.5) * spacing;
  ball->vx = random.unit() - 0.5;
  ball->vy = random.unit() - 0.5;
  ball->radius = spacing * (0.15 + 0.2 * random.unit());
  ball->mass = ball->radius * ball->radius;
  return ball;
}

std::uint32_t square_side(std::uint64_t balls) {
  std::uint32_t side = 1;
  while (std::uint64_t{side} * side < balls) ++side;
  return side;
}

} // namespace

Box::Box(std::uint64_t balls, bench::Random &random) : side_(square_side(balls)) {
  cells_.resize(std::size_t{side_} * side_);
  for (std::uint32_t number = 0; number < balls; ++number) {
    Ball *ball = make_ball(number, side_, random);
    ball->column = number % side_;
    ball->row = number / side_;
    balls_.push_back(ball);
    enter_cell(ball);
  }
  for (Ball *ball : balls_) foresee(ball);
}

Box::~Box() {
  for (Ball *ball : balls_) {
    leave_cell(ball);
    while (ball->remembered > 0) forget_oldest(ball);
    std::free(ball);
  }
}

void Box::enter_cell(Ball *ball) {
  Member *&head = cell(ball->column, ball->row);
  auto *member = bench::allocate<Member>();
  *member = {ball, head};
  head = member;
}

void Box::leave_cell(Ball *ball) {
  Member **place = &cell(ball->column, ball->row);
  while ((*place)->ball != ball) place = &(*place)->next;
  Member *member = *place;
  *place = member->next;
  std::free(member);
}

// Every event has a ball, and a collision has two.
// NOLINTBEGIN(clang-analyzer-core.NullDereference)
void Box::move_to_now(Ball *ball) const {
  const double passed = time_ - ball->time;
  ball->x += ball->vx * passed;
  ball->y += ball->vy * passed;
  ball->time = time_;
}
// NOLINTEND(clang-analyzer-core.NullDereference)

void Box::step() {
  for (;;) {
    Event *event = queue_.pop();
    const bool holds = event->hits == event->ball->hits &&
                       (event->other == nullptr || event->other_hits == event->other->hits);
    if (holds) happen(*event);
    std::free(event);
    if (holds) return;
  }
}

void Box::happen(const Event &event) {
  time_ = event.time;
  Ball *ball = event.ball;
  move_to_now(ball);
  ++ball->hits;
  switch (event.kind) {
  case Kind::wall_x: ball->vx = -ball->vx; break;
  case Kind::wall_y: ball->vy = -ball->vy; break;
  case Kind::crossing: cross(ball); break;
  case Kind::collision:
    move_to_now(event.other);
    ++event.other->hits;
    collide(ball, event.other);
    foresee(event.other);
    break;
  }
  foresee(ball);
}

void Box::collide(Ball *ball, Ball *other) {
  const double dx = other->x - ball->x;
  const double dy = other->y - ball->y;
  const double approach = (other->vx - ball->vx) * dx + (other->vy - ball->vy) * dy;
  const double push = 2 * approach / ((dx * dx + dy * dy) * (ball->mass + other->mass));
  ball->vx += push * other->mass * dx;
  ball->vy += push * other->mass * dy;
  other->vx -= push * ball->mass * dx;
  other->vy -= push * ball->mass * dy;
  ++collisions_;
  remember(ball, other, time_);
  remember(other, ball, time_);
}

// The ball goes to the cell whose border it reaches first, as foresee_crossing worked out.
void Box::cross(Ball *ball) {
  leave_cell(ball);
  const double width = 1.0 / side_;
  const double from_x = ball->x / width - (ball->column + 0.5);
  const double from_y = ball->y / width - (ball->row + 0.5);
  if (std::abs(from_x) > std::abs(from_y))
    ball->column += from_x > 0 ? 1 : -1;
  else
    ball->row += from_y > 0 ? 1 : -1;
  enter_cell(ball);
}

void Box::foresee(Ball *ball) {
  foresee_wall(ball);
  foresee_crossing(ball);
  for_each_neighbour(ball, [&](Ball *other) { foresee_collision(ball, other); });
}

void Box::foresee_wall(Ball *ball) {
  const double to_x = ball->vx > 0 ? 1 - ball->radius - ball->x : ball->radius - ball->x;
  const double to_y = ball->vy > 0 ? 1 - ball->radius - ball->y : ball->radius - ball->y;
  const double wait_x = ball->vx == 0 ? INFINITY : std::max(0.0, to_x / ball->vx);
  const double wait_y = ball->vy == 0 ? INFINITY : std::max(0.0, to_y / ball->vy);
  const bool x_first = wait_x < wait_y;
  Event *event =
      queue_.add(time_ + std::min(wait_x, wait_y), x_first ? Kind::wall_x : Kind::wall_y);
  event->ball = ball;
  event->hits = ball->hits;
}

void Box::foresee_crossing(Ball *ball) {
  const double width = 1.0 / side_;
  const double border_x = (ball->column + (ball->vx > 0 ? 1 : 0)) * width;
  const double border_y = (ball->row + (ball->vy > 0 ? 1 : 0)) * width;
  const double wait_x = ball->vx == 0 ? INFINITY : std::max(0.0, (border_x - ball->x) / ball->vx);
  const double wait_y = ball->vy == 0 ? INFINITY : std::max(0.0, (border_y - ball->y) / ball->vy);
  const bool x_first = wait_x < wait_y;
  const std::uint32_t place = x_first ? ball->column : ball->row;
  const bool upward = (x_first ? ball->vx : ball->vy) > 0;
  if (upward ? place + 1 == side_ : place == 0) return; // the border is the wall
  Event *event = queue_.add(time_ + std::min(wait_x, wait_y), Kind::crossing);
  event->ball = ball;
  event->hits = ball->hits;
}

void Box::foresee_collision(Ball *ball, Ball *other) {
  const double lag = time_ - other->time;
  const double dx = other->x + other->vx * lag - ball->x;
  const double dy = other->y + other->vy * lag - ball->y;
  const double dvx = other->vx - ball->vx;
  const double dvy = other->vy - ball->vy;
  const double approach = dx * dvx + dy * dvy;
  if (approach >= 0) return;
  const double reach = ball->radius + other->radius;
  const double speed = dvx * dvx + dvy * dvy;
  const double gap = dx * dx + dy * dy - reach * reach;
  const double root = approach * approach - speed * gap;
  if (root < 0) return;
  const double wait = std::max(0.0, (-approach - std::sqrt(root)) / speed);
  Event *event = queue_.add(time_ + wait, Kind::collision);
  event->ball = ball;
  event->hits = ball->hits;
  event->other = other;
  event->other_hits = other->hits;
}

template <typename Act>
void Box::for_each_neighbour(const Ball *ball, Act act) {
  const std::uint32_t low_row = ball->row == 0 ? 0 : ball->row - 1;
  const std::uint32_t low_column = ball->column == 0 ? 0 : ball->column - 1;
  for (std::uint32_t row = low_row; row <= ball->row + 1 && row < side_; ++row)
    for (std::uint32_t column = low_column; column <= ball->column + 1 && column < side_; ++column)
      for (const Member *member = cell(column, row); member != nullptr; member = member->next)
        if (member->ball != ball) act(member->ball);
}

double Box::energy() const {
  double energy = 0;
  for (const Ball *ball : balls_)
    energy += ball->mass * (ball->vx * ball->vx + ball->vy * ball->vy) / 2;
  return energy;
}

std::uint64_t Box::remembered_bytes() const {
  std::uint64_t bytes = 0;
  for (const Ball *ball : balls_)
    for (const Memory *memory = ball->memories; memory != nullptr; memory = memory->older)
      bytes += memory->length;
  return bytes;
}

std::uint64_t Box::overlaps(double slack) const {
  std::uint64_t found = 0;
  for (const Ball *a : balls_) {
    for (const Ball *b : balls_) {
      const double dx = a->x + a->vx * (time_ - a->time) - b->x - b->vx * (time_ - b->time);
      const double dy = a->y + a->vy * (time_ - a->time) - b->y - b->vy * (time_ - b->time);
      found += a->number < b->number && std::hypot(dx, dy) < a->radius + b->radius - slack;
    }
  }
  return found;
}

} // namespace balls
