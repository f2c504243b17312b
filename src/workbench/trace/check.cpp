#include "trace/check.hpp"

#include "trace/batches.hpp"
#include "trace/rows.hpp"

#include <algorithm>
#include <unordered_map>

namespace abut::trace {

namespace {

class Checker {
public:
  explicit Checker(const Reader &reader) : reader_(reader) {}

  void take(const Batches &batch) {
    batch.in_order(
        [&](uint32_t from, uint32_t to) {
          for (uint32_t i = from; i < to; ++i) take(batch, i);
        },
        [this](const Event &event) { take(event); });
  }

  // An object is lost where the chunk of its birth is; then nothing is said against its use.
  void expect_loss() { lossy_ = true; }

  Findings finish() {
    for (const State &state : objects_) findings_.live_objects += state.life == Life::alive ? 1 : 0;
    if (const auto &totals = reader_.totals(); totals && !lossy_) compare(*totals);
    return std::move(findings_);
  }

private:
  enum class Life : uint8_t { unborn, alive, dead };
  struct State {
    uint64_t size = 0;
    Life life = Life::unborn;
  };

  void broken(const char *rule, const std::string &where) {
    auto &list = findings_.violations;
    const auto found = std::find_if(list.begin(), list.end(),
                                    [rule](const Violation &known) { return known.rule == rule; });
    if (found != list.end())
      ++found->count;
    else
      list.push_back({rule, where, 1});
  }

  std::string place_of(const Event &event) const {
    return "event " + std::to_string(findings_.events) + ", object " + std::to_string(event.object);
  }

  void take(const Event &event) {
    check_origin(event);
    if (event.kind == EventKind::allocate)
      give_birth(event);
    else if (event.kind != EventKind::gap && event.kind != EventKind::discard)
      change(event);
    ++findings_.events;
  }

  void check_origin(const Event &event) {
    if (event.context > reader_.contexts().size())
      broken("an event's context is in the table of contexts", place_of(event));
    uint64_t &last = last_time_[event.thread];
    if (event.time < last) broken("a thread's time never goes back", place_of(event));
    last = std::max(last, event.time);
  }

  void give_birth(const Event &event) {
    if (grow_to(objects_, event.object - 1)) objects_[event.object - 1] = {event.size, Life::alive};
  }

  void change(const Event &event) {
    State *state = find(event.object);
    if (state == nullptr || state->life == Life::unborn) {
      if (!lossy_) broken("what is freed, resized or hinted at was allocated", place_of(event));
      return;
    }
    if (event.kind == EventKind::free) {
      if (state->life == Life::dead) broken("an object is freed once", place_of(event));
      state->life = Life::dead;
    } else if (event.kind == EventKind::resize || event.kind == EventKind::move) {
      if (state->life == Life::dead) broken("an object that is resized is alive", place_of(event));
      state->size = event.size;
    }
  }

  State *find(uint64_t object) {
    return object - 1 < objects_.size() ? &objects_[object - 1] : nullptr;
  }

  void take(const Batches &batch, uint32_t i) {
    Remarkable &seen = findings_.remarkable;
    ++seen.accesses;
    const bool allocator = (batch.kinds()[i] & kAllocator) != 0;
    if (allocator) ++seen.allocator_side;
    const uint64_t object = batch.objects()[i];
    if (object == 0) {
      ++seen.without_object;
      return;
    }
    const State *state = find(object);
    if (state == nullptr || state->life == Life::unborn) {
      if (!lossy_)
        broken("an object is allocated before it is accessed",
               "access " + std::to_string(batch.first_access() + i) + ", object " +
                   std::to_string(object));
      return;
    }
    const uint64_t offset = batch.offsets()[i];
    const bool inside = offset <= state->size && batch.sizes()[i] <= state->size - offset;
    if (!inside) ++(allocator ? seen.allocator_outside : seen.outside);
    if (state->life == Life::dead) ++(allocator ? seen.allocator_dead : seen.dead);
  }

  void compare(const Totals &totals) {
    const auto same = [this](const char *rule, uint64_t counted, uint64_t said) {
      if (counted != said)
        broken(rule, std::to_string(counted) + " found, " + std::to_string(said) + " written");
    };
    same("as many accesses as the totals say", findings_.remarkable.accesses, totals.accesses);
    same("as many events as the totals say", findings_.events, totals.events);
    same("as many objects as the totals say", objects_.size(), totals.objects);
  }

  const Reader &reader_;
  Findings findings_;
  std::vector<State> objects_;
  std::unordered_map<uint32_t, uint64_t> last_time_;
  bool lossy_ = false;
};

void check_tables(const Reader &reader, Findings &findings) {
  Violation unknown{"a context's frames are in modules of the table", "", 0};
  for (size_t context = 0; context < reader.contexts().size(); ++context)
    for (const Frame &frame : reader.contexts()[context]) {
      if (frame.module <= reader.modules().size()) continue;
      if (unknown.count++ == 0) unknown.first = "context " + std::to_string(context + 1);
    }
  if (unknown.count != 0) findings.violations.push_back(unknown);
}

} // namespace

Findings check(Reader &reader) {
  Checker checker(reader);
  size_t damages = reader.damages().size();
  if (damages != 0) checker.expect_loss();
  for (Batches batches(reader); batches.next();) {
    // Chunks that were passed over may hold births.
    if (reader.damages().size() != damages) checker.expect_loss();
    damages = reader.damages().size();
    checker.take(batches);
  }
  if (reader.damages().size() != damages) checker.expect_loss();
  Findings findings = checker.finish();
  check_tables(reader, findings);
  return findings;
}

} // namespace abut::trace
