// Placement by the ways that rules have, see way_stub.hpp.
#include "api/calls.hpp"
#include "api/export.hpp"

using namespace abut;

ABUT_WAYS("abut", "malloc", "abut_pooled_malloc");
ABUT_WAYS("abut", "new", "abut_pooled_new");
ABUT_CAPTURE("abut_search_malloc", "abut_searched_malloc");
ABUT_CAPTURE("abut_search_new", "abut_searched_new");

namespace {

using NextStep = void *(size_t bytes, Address context, Address cell);

template <NextStep Next, Way Search>
[[gnu::noinline]] void *take_next(size_t bytes, Address context, Address cell) {
  void *memory = Next(bytes, context, cell);
  return memory != nullptr ? memory : Search(bytes, context);
}

// What came of the straight path, or else the next step.
template <NextStep Next, Way Search>
[[gnu::always_inline]] inline void *after(const near::Beside &beside, size_t bytes,
                                          Address context) {
  if (beside.block != nullptr) return beside.block;
  return beside.is_straight ? take_next<Next, Search>(bytes, context, beside.cell)
                            : Search(bytes, context);
}

template <Way Search>
[[gnu::always_inline]] inline void *beside(size_t bytes, Address context, Address base) {
  return after<near::place_next, Search>(near::allocate_by_way(bytes, context, base), bytes,
                                         context);
}

template <Way Search>
[[gnu::always_inline]] inline void *forward(size_t bytes, Address context, Address base) {
  return after<near::forward_next, Search>(near::forward_by_way(bytes, context, base), bytes,
                                           context);
}

} // namespace

ABUT_BODY void *abut_beside_malloc(size_t bytes, Address context, Address base) {
  return beside<abut_search_malloc>(bytes, context, base);
}

ABUT_BODY void *abut_beside_new(size_t bytes, Address context, Address base) {
  return beside<abut_search_new>(bytes, context, base);
}

ABUT_BODY void *abut_forward_malloc(size_t bytes, Address context, Address base) {
  return forward<abut_search_malloc>(bytes, context, base);
}

ABUT_BODY void *abut_forward_new(size_t bytes, Address context, Address base) {
  return forward<abut_search_new>(bytes, context, base);
}
