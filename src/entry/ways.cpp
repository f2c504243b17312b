// Placement by the ways that rules have, see way_stub.hpp.
#include "entry/calls.hpp"
#include "entry/export.hpp"

using namespace abut;

ABUT_WAYS("abut", "malloc");
ABUT_WAYS("abut", "new");
ABUT_CAPTURE("abut_search_malloc", "abut_searched_malloc");
ABUT_CAPTURE("abut_search_new", "abut_searched_new");

namespace {

template <entry::Way Search>
[[gnu::noinline]] void *go_on(size_t bytes, Address context, Address cell) {
  void *memory = nullptr;
  if (near::forwards)
    memory = near::forward(bytes, context);
  else if (cell != 0)
    memory = near::place_next(bytes, context, cell);
  return memory != nullptr ? memory : Search(bytes, context);
}

template <entry::Way Search>
[[gnu::always_inline]] inline void *beside(size_t bytes, Address context, Address base) {
  const near::Beside beside = near::allocate_by_way(bytes, context, base);
  return beside.block != nullptr ? beside.block : go_on<Search>(bytes, context, beside.cell);
}

} // namespace

ABUT_BODY void *abut_beside_malloc(size_t bytes, Address context, Address base) {
  return beside<abut_search_malloc>(bytes, context, base);
}

ABUT_BODY void *abut_beside_new(size_t bytes, Address context, Address base) {
  return beside<abut_search_new>(bytes, context, base);
}
