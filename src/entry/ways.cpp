// Placement by the ways that rules have, see way_stub.hpp.
#include "entry/calls.hpp"
#include "entry/export.hpp"

using namespace abut;

ABUT_WAYS("abut", "malloc", "abut_pooled_malloc");
ABUT_WAYS("abut", "new", "abut_pooled_new");
ABUT_CAPTURE("abut_search_malloc", "abut_searched_malloc");
ABUT_CAPTURE("abut_search_new", "abut_searched_new");

namespace {

template <Way Search>
[[gnu::noinline]] void *place_next(size_t bytes, Address context, Address cell) {
  void *memory = near::place_next(bytes, context, cell);
  return memory != nullptr ? memory : Search(bytes, context);
}

template <Way Search>
[[gnu::always_inline]] inline void *beside(size_t bytes, Address context, Address base) {
  const near::Beside beside = near::allocate_by_way(bytes, context, base);
  if (beside.block != nullptr) return beside.block;
  return beside.is_straight ? place_next<Search>(bytes, context, beside.cell)
                            : Search(bytes, context);
}

template <Way Search>
[[gnu::always_inline]] inline void *forward(size_t bytes, Address context, Address base) {
  void *memory = near::forward_by_way(bytes, context, base);
  return memory != nullptr ? memory : Search(bytes, context);
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
