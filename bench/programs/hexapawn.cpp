// Hexapawn (Gardner's game), after Cyll's hp: every state that play can reach becomes a node, found
// again through a hash table and linked to its successors by lists of small cells; then the winner
// is worked out on that graph. White moves first; a side that reaches the far row, or leaves the
// other without a move, has won.
#include "common/aged.hpp"
#include "common/memory.hpp"
#include "common/options.hpp"
#include "common/phases.hpp"

#include <cinttypes>
#include <cstdio>

namespace {

struct Settings {
  std::uint64_t rows = 4;
  std::uint64_t columns = 4;
  std::uint64_t solves = 10;
  std::uint64_t aged = 0;
  std::uint64_t seed = 1;
  bool times = false;
};

// One bit a square. The mover's pawns go up the board; after a move the board is turned round, so
// the mover is always below and one function moves for both sides.
struct Board {
  std::uint32_t mover;
  std::uint32_t other;
  bool operator==(const Board &) const = default;
};

struct Link;
struct State {
  Board board;
  bool lost; // the mover has lost already: a pawn of the other side is at its goal
  bool wins; // the mover wins with best play; valid when solved_in is the current solve
  std::uint32_t solved_in;
  Link *moves;
  State *next_in_bucket;
};

struct Link {
  State *to;
  Link *next;
};

class Game {
public:
  Game(std::uint64_t rows, std::uint64_t columns) : rows_(rows), columns_(columns) {
    buckets_ = make_buckets(bucket_count_);
    const std::uint32_t first_row = (1u << columns) - 1;
    start_ = reach({first_row, first_row << (columns * (rows - 1))}, false, nullptr);
  }

  ~Game() {
    for (std::uint64_t i = 0; i < bucket_count_; ++i) {
      for (State *state = buckets_[i]; state != nullptr;) {
        State *next = state->next_in_bucket;
        free_moves(state->moves);
        std::free(state);
        state = next;
      }
    }
    std::free(buckets_);
  }

  Game(const Game &) = delete;
  Game &operator=(const Game &) = delete;

  bool mover_wins(std::uint32_t solve) {
    return bench::pings ? solved<true>(start_, solve) : solved<false>(start_, solve);
  }
  std::uint64_t states() const { return state_count_; }
  std::uint64_t moves() const { return move_count_; }

private:
  static State **make_buckets(std::uint64_t count) {
    auto *buckets = bench::allocate_array<State *>(count);
    for (std::uint64_t i = 0; i < count; ++i) buckets[i] = nullptr;
    return buckets;
  }

  static std::uint64_t hash(const Board &board) {
    const std::uint64_t both = (std::uint64_t{board.mover} << 32) | board.other;
    return (both * 0x9e3779b97f4a7c15u) >> 20;
  }

  static void free_moves(Link *link) {
    while (link != nullptr) {
      Link *next = link->next;
      std::free(link);
      link = next;
    }
  }

  void grow() {
    const std::uint64_t count = bucket_count_ * 2;
    State **buckets = make_buckets(count);
    for (std::uint64_t i = 0; i < bucket_count_; ++i) {
      for (State *state = buckets_[i]; state != nullptr;) {
        State *next = state->next_in_bucket;
        State *&bucket = buckets[hash(state->board) & (count - 1)];
        state->next_in_bucket = bucket;
        bucket = state;
        state = next;
      }
    }
    std::free(buckets_);
    buckets_ = buckets;
    bucket_count_ = count;
  }

  State *reach(const Board &board, bool lost, const State *from) {
    for (State *state = buckets_[hash(board) & (bucket_count_ - 1)]; state != nullptr;
         state = state->next_in_bucket)
      if (state->board == board) return state;
    if (state_count_ >= bucket_count_) grow();
    State *&bucket = buckets_[hash(board) & (bucket_count_ - 1)];
    auto *state = static_cast<State *>(bench::allocate_bytes_near(sizeof(State), from));
    *state = {board, lost, false, 0, nullptr, bucket};
    bucket = state;
    ++state_count_;
    if (!lost) expand(state);
    return state;
  }

  void expand(State *state) {
    const Board &board = state->board;
    const std::uint32_t taken = board.mover | board.other;
    for (std::uint32_t from = 0; from < rows_ * columns_; ++from) {
      // The range of --columns begins at 1.
      const std::uint32_t column = from % columns_; // NOLINT(clang-analyzer-core.DivideZero)
      if ((board.mover >> from & 1) == 0) continue;
      const std::uint32_t ahead = from + columns_;
      if ((taken >> ahead & 1) == 0) move(state, from, ahead);
      if (column > 0 && (board.other >> (ahead - 1) & 1) != 0) move(state, from, ahead - 1);
      if (column + 1 < columns_ && (board.other >> (ahead + 1) & 1) != 0)
        move(state, from, ahead + 1);
    }
  }

  void move(State *state, std::uint32_t from, std::uint32_t to) {
    const std::uint32_t mover = (state->board.mover & ~(1u << from)) | 1u << to;
    const std::uint32_t other = state->board.other & ~(1u << to);
    const bool at_goal = to >= columns_ * (rows_ - 1);
    auto *link = static_cast<Link *>(bench::allocate_bytes_near(sizeof(Link), state));
    link->to = reach({turned(other), turned(mover)}, at_goal, state);
    link->next = state->moves;
    state->moves = link;
    ++move_count_;
  }

  std::uint32_t turned(std::uint32_t squares) const {
    std::uint32_t result = 0;
    const auto last = static_cast<std::uint32_t>(rows_ * columns_ - 1);
    for (; squares != 0; squares &= squares - 1)
      result |= 1u << (last - static_cast<std::uint32_t>(__builtin_ctz(squares)));
    return result;
  }

  // Every move is looked at even when one that wins is known: the whole graph is the working set.
  template <bool kPings>
  static bool solved(State *state, std::uint32_t solve) {
    if constexpr (kPings) ping(state, 1);
    if (state->solved_in == solve) return state->wins;
    bool wins = false;
    for (const Link *link = state->moves; link != nullptr; link = link->next) {
      if constexpr (kPings) ping(link, 1);
      wins |= !solved<kPings>(link->to, solve);
    }
    state->wins = wins;
    state->solved_in = solve;
    return wins;
  }

  std::uint64_t rows_;
  std::uint64_t columns_;
  State **buckets_;
  std::uint64_t bucket_count_ = 1024;
  std::uint64_t state_count_ = 0;
  std::uint64_t move_count_ = 0;
  State *start_;
};

Settings parse(int argc, char **argv) {
  Settings settings;
  bench::Options options("hexapawn", "Expands all states of a game of Hexapawn and solves it.");
  options.number("rows", settings.rows, {3, 10}, "rows of the board");
  options.number("columns", settings.columns, {1, 10}, "columns; rows x columns at most 30");
  options.number("solves", settings.solves, {1, 1'000'000}, "times that the graph is solved");
  options.number("aged", settings.aged, {0, bench::AgedHeap::kMostBytes}, bench::AgedHeap::kHelp);
  options.number("seed", settings.seed, {0, UINT64_MAX}, "seed of the aged heap");
  options.flag("hints", bench::hints, "name a friend for each object, which abut's heap hears of");
  options.flag("pings", bench::pings, "tell abut's heap what is used");
  options.flag("times", settings.times, "print phase times to standard error");
  options.parse(argc, argv);
  if (settings.rows * settings.columns > 30)
    options.fail("columns", "", "rows x columns must be at most 30");
  return settings;
}

} // namespace

int main(int argc, char **argv) {
  const Settings settings = parse(argc, argv);
  const bench::AgedHeap aged(settings.aged, settings.seed);
  bench::Phases phases(settings.times);
  phases.begin("expand");
  Game game(settings.rows, settings.columns);
  phases.begin("solve");
  bool white = false;
  for (std::uint32_t solve = 1; solve <= settings.solves; ++solve) white = game.mover_wins(solve);
  phases.begin("free");
  std::printf("board %" PRIu64 "x%" PRIu64 " states %" PRIu64 " moves %" PRIu64 " winner %s\n",
              settings.rows, settings.columns, game.states(), game.moves(),
              white ? "white" : "black");
}
