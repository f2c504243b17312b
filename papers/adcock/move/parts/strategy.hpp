// Strategies: what to try, in turn, to place a node at a site of the program (Adcock 2009, figure 4.3 and 4.5).
//
//   auto insert = l(parent<1>) | l(child<2>) | el(always);         the stages <L: parent_1, L: child_2, EL: true>
//   auto same = (l | el) * ((parent<1> & child<2>) | always);      as a product of patterns: <L; EL> x <parent_1,
//                                                                  child_2; true>
//
// A stage pairs a coallocator with a search, which names hints. A search asks the site, which the program makes: it
// knows the path that led to the place of the update, and what lies below it.
#pragma once

#include "../coallocator.hpp"

#include <limits>
#include <type_traits>

namespace adcock::move {

inline constexpr unsigned kAll = std::numeric_limits<unsigned>::max();

// ---- searches (figures 4.4 and 4.5): each offers hints until one is taken ----

struct AnySearch {
  static constexpr unsigned kTrail = 0; // how many blocks of the path a site must remember for it
  static constexpr bool kNotesRoom = false;
};
template <typename T>
concept Search = std::is_base_of_v<AnySearch, T>;

// The last K lines or pages of the path to the site, most recent first. Trees call it parent, lists last.
template <unsigned K>
struct Back : AnySearch {
  static constexpr unsigned kTrail = K;
  static bool offer(auto &site, auto attempt) { return site.back(K, attempt); }
};
// What lies below: trees offer K generations, lists the next K nodes.
template <unsigned K>
struct Ahead : AnySearch {
  static bool offer(auto &site, auto attempt) { return site.ahead(K, attempt); }
};
// The first node of the path, or the last, whose block has room. The site notes it on the way.
template <bool First>
struct NonFull : AnySearch {
  static constexpr bool kNotesRoom = true;
  static bool offer(auto &site, auto attempt) { return site.with_room(First, attempt); }
};
// For coallocators that take no hint: on or off.
template <bool On>
struct Switch : AnySearch {};

// ---- stages and strategies ----

template <typename Coallocator, typename Searching>
struct Stage {
  static constexpr Needs needs() {
    return std::is_same_v<Searching, Switch<false>> ? Needs{} : Coallocator::needs();
  }
  static constexpr unsigned kTrail = Searching::kTrail;
  static constexpr bool kNotesRoom = Searching::kNotesRoom;

  // A new cell; or `stay`, where the node that is to be placed lies near a hint already; or kNoCell.
  template <typename Heap, typename Site>
  static CellId allocate(Heap &heap, Site &site, CellId stay) {
    CellId result = kNoCell;
    if constexpr (Coallocator::kWantsHint) {
      Searching::offer(site, [&](CellId hint) {
        if (found(stay) && Coallocator::template are_near<Heap>(stay, hint)) {
          result = stay;
        } else {
          result = Coallocator::allocate(heap, hint);
        }
        return found(result);
      });
    } else if constexpr (std::is_same_v<Searching, Switch<true>>) {
      result = Coallocator::allocate(heap);
    }
    return result;
  }
};

template <typename... Stages>
struct Strategy {
  static constexpr Needs needs() { return (Stages::needs() | ... | Needs{}); }
  // How many blocks of the path a site must remember.
  static constexpr unsigned kTrail = [] {
    unsigned most = 0;
    ((most = Stages::kTrail > most ? Stages::kTrail : most), ...);
    return most;
  }();
  static constexpr bool kNotesRoom = (Stages::kNotesRoom || ...);
  static constexpr bool kIsNull = sizeof...(Stages) == 0;

  // Tries the stages in turn. `stay` is where the node lies now, kNoCell at an allocation site.
  template <typename Heap, typename Site>
  static CellId allocate(Heap &heap, Site &site, CellId stay = kNoCell) {
    CellId result = kNoCell;
    static_cast<void>(((result = Stages::allocate(heap, site, stay), found(result)) || ...));
    return result;
  }
};

template <typename... A, typename... B>
constexpr Strategy<A..., B...> operator|(Strategy<A...> /*one*/, Strategy<B...> /*other*/) {
  return {};
}

// ---- patterns and their product (4.5): , is &, and ; is | ----

template <Search... Searches>
struct Sublist {};
// Coallocators, or for each of them the searches that it is tried with.
template <typename... Items>
struct Pattern {};
template <typename Coallocator>
struct Named {
  // One stage: this coallocator with that search.
  template <Search S>
  constexpr Strategy<Stage<Coallocator, S>> operator()(S /*search*/) const {
    return {};
  }
};

template <typename... Items>
constexpr Pattern<Items...> pattern(Pattern<Items...> whole) {
  return whole;
}
template <typename Coallocator>
constexpr Pattern<Coallocator> pattern(Named<Coallocator> /*one*/) {
  return {};
}
template <Search S>
constexpr Pattern<Sublist<S>> pattern(S /*one*/) {
  return {};
}
template <typename T>
concept Part = requires(T part) {
  pattern(part);
};

template <typename... A, typename... B>
constexpr Pattern<A..., B...> joined(Pattern<A...> /*one*/, Pattern<B...> /*other*/) {
  return {};
}
template <typename Coallocator, typename... S>
constexpr Strategy<Stage<Coallocator, S>...> stages(Sublist<S...> /*searches*/) {
  return {};
}
template <typename... C, typename... S>
constexpr auto product(Pattern<C...> /*coallocators*/, Pattern<S...> /*searches*/) {
  static_assert(sizeof...(C) == sizeof...(S), "patterns of different degrees have no product");
  return (stages<C>(S{}) | ...);
}

template <Part A, Part B>
constexpr auto operator|(A one, B other) {
  return joined(pattern(one), pattern(other));
}
template <Search A, Search B>
constexpr Pattern<Sublist<A, B>> operator&(A /*one*/, B /*other*/) {
  return {};
}
template <Part A, Part B>
constexpr auto operator*(A coallocators, B searches) {
  return product(pattern(coallocators), pattern(searches));
}

// ---- the words of the grammar ----

// NOLINTBEGIN(readability-identifier-naming): these are the thesis's own words
namespace grammar {
using enum Level;
using LowestInLine = Lowest<cell, line>;

// Figure 4.6, with its labels: L line, P page, I in, F first, N new, E emptiest.
template <Level Block, typename... Finds>
inline constexpr Named<NearHint<Block, Finds...>> near_hint;
template <typename... Finds>
inline constexpr Named<Anywhere<Finds...>> anywhere;

inline constexpr auto l = near_hint<line, LowestInLine>;
inline constexpr auto p = near_hint<page, Cyclic<cell, page>>;
inline constexpr auto flip = near_hint<page, LowestInLine, First<line, page>>;
inline constexpr auto elip = near_hint<page, LowestInLine, Emptiest<line, page>>;
inline constexpr auto nlip = near_hint<page, LowestInLine, Newblock<line, page>>;
inline constexpr auto f = anywhere<First<cell, heap>>;
inline constexpr auto fl = anywhere<LowestInLine, First<line, heap>>;
inline constexpr auto fp = anywhere<Cyclic<cell, page>, First<page, heap>>;
inline constexpr auto flifp = anywhere<LowestInLine, First<line, page>, First<page, heap>>;
inline constexpr auto el = anywhere<LowestInLine, Emptiest<line, heap>>;
inline constexpr auto elifp = anywhere<LowestInLine, Emptiest<line, page>, First<page, heap>>;
inline constexpr auto fliep = anywhere<LowestInLine, First<line, page>, Emptiest<page, heap>>;
inline constexpr auto ep = anywhere<Cyclic<cell, page>, Emptiest<page, heap>>;
inline constexpr auto eliep = anywhere<LowestInLine, Emptiest<line, page>, Emptiest<page, heap>>;
inline constexpr Named<NoCoallocator> null;

template <unsigned K>
inline constexpr Back<K> parent;
template <unsigned K>
inline constexpr Ahead<K> child;
template <unsigned K>
inline constexpr Back<K> last;
template <unsigned K>
inline constexpr Ahead<K> next;
inline constexpr Ahead<kAll> next_all;
inline constexpr NonFull<true> first_non_full;
inline constexpr NonFull<false> last_non_full;
inline constexpr Switch<true> always;
inline constexpr Switch<false> never;
inline constexpr Strategy<> no_strategy;
} // namespace grammar
// NOLINTEND(readability-identifier-naming)

} // namespace adcock::move
