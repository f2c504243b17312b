#include "probes/light/record.hpp"

namespace abut::light {

using ring::Kind;

namespace {

ring::Word address_of(const void *memory) { return reinterpret_cast<Address>(memory); }

// Whether there may be something to record; if not, the writer rests.
bool is_recording() {
  if (ring::is_recording()) return true;
  ring::writer.rest();
  return false;
}

template <class... Words>
void put(Words... words) {
  if (!ring::is_recording() || !ring::writer.begin()) return;
  ring::writer.put(words...);
  end_event();
}

// As context_of(), at first glance where that is enough.
uint16_t known_context_of(Frame frame) {
  const uint64_t at_site = known_sites.context_at(*frame.sp);
  if (at_site <= KnownSites::kMostContext) return static_cast<uint16_t>(at_site);
  const uint16_t of_chain = known_chains.context_at(frame);
  return of_chain != 0 ? of_chain : context_of(frame);
}

// Before a block is recorded that the running thread's heap gave, or where it is too large for that, all threads' pages.
void order_if_taken_over(const void *memory, size_t bytes) {
  heap::LocalHeap &heap = *heap::current;
  std::atomic<uint64_t> &until = above(heap).recorded_until;
  const bool is_new = ring::writer.says_time_at() != &until;
  if (is_new) {
    until.store(0,
                std::memory_order_relaxed); // the thread has just taken the heap over, or made it
    ring::writer.say_time_at(&until);
  }
  // A thread that has ended borrows a heap for each call, see heap::CurrentHeap: anybody's blocks may have come back there.
  const bool is_borrowed = heap.number() == 0;
  if (is_borrowed)
    if (heap::LocalHeap *lender = heap::owner_of(memory))
      above(*lender).recorded_until.store(0, std::memory_order_relaxed);
  if (heap.has_taken_over() || is_new || is_borrowed || bytes > heap::kMediumMax) order();
}

// After order(), where the block is not the running thread's alone.
void put_new(Kind kind, const void *memory, size_t bytes, uint16_t context) {
  if (kind == Kind::allocate) {
    const ring::Word word = small_birth(memory, bytes, context);
    if (word != 0 && ring::writer.put_ready(word)) return;
  }
  if (bytes < ring::SmallBirth::kMostSize && ring::recording == ring::Recording::on)
    ring::drop_anchor(address_of(memory));
  if (bytes >> ring::Birth::kLowBits == 0 &&
      ring::writer.put_ready(event(kind, context | bytes << 16), address_of(memory)))
    return;
  put_birth(kind, memory, bytes, 0, context);
}

// Out of line, so that what comes before needs no stack.
[[gnu::noinline]] void *allocated_slow(void *memory, size_t bytes, Frame frame) {
  return ring::writer.drops() ? memory : allocated_waiting(memory, bytes, frame);
}

} // namespace

void *allocated_waiting(void *memory, size_t bytes, Frame frame) {
  if (memory == nullptr || !is_recording()) return memory;
  put_new(Kind::allocate, memory, bytes, known_context_of(frame));
  return memory;
}

void *allocated_otherwise(void *memory, size_t bytes, Frame frame) {
  const bool put = ring::writer.put_found([=]() -> ring::Word {
    const uint16_t context = known_chains.context_at_once(frame);
    return context != 0 ? small_birth(memory, bytes, context) : 0;
  });
  return put ? memory : allocated_slow(memory, bytes, frame);
}

void *allocated_by_heap(void *memory, size_t bytes, Frame frame) {
  if (memory == nullptr || ring::writer.drops_one() || !is_recording()) return memory;
  order_if_taken_over(memory, bytes);
  put_new(Kind::allocate, memory, bytes, known_context_of(frame));
  return memory;
}

void *allocated(void *memory, size_t bytes, size_t align, Frame frame) {
  if (memory == nullptr || !is_recording()) return memory;
  order();
  if (align == 0) return allocated_waiting(memory, bytes, frame);
  put_birth(Kind::allocate, memory, bytes, align, known_context_of(frame));
  return memory;
}

void freed(const void *memory) {
  if (memory == nullptr || !is_recording()) return;
  const ring::Word word = event(Kind::free, address_of(memory));
  if (!ring::writer.put_ready(word)) put(word);
}

void resizing(const void *memory) {
  const ring::Word word = event(Kind::resize, address_of(memory));
  if (!put_at_its_time(owner_of(memory), word)) put(word);
}

void resized(const void *memory, size_t bytes, Frame frame) {
  if (!ring::is_recording()) return;
  if (memory == nullptr) return put(event(Kind::stayed, 0));
  order_if_taken_over(memory, bytes);
  put_new(Kind::resized, memory, bytes, known_context_of(frame));
  // Where another thread's block stays in place, whoever frees it next does so after this.
  const heap::LocalHeap *owner = owner_of(memory);
  if (owner != nullptr && owner->keeper != heap::current && ring::recording == ring::Recording::on)
    ring::make_all_read_clock();
}

void hinted_near(const void *memory, const void *other) {
  put(event(Kind::near, address_of(memory)), address_of(other));
}

void hinted_touch(const void *memory, unsigned weight) {
  put(event(Kind::touch, address_of(memory)), weight);
}

} // namespace abut::light
