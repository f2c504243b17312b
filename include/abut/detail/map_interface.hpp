// What maps have beside what they share with sets.
#pragma once

#include "guides.hpp"
#include "ordered.hpp"

#include <tuple>

namespace abut::detail {

template <typename Core>
class MapInterface : public Ordered<Core> {
  using Base = Ordered<Core>;

public:
  using Base::Base, Base::operator=;
  using typename Base::const_iterator, typename Base::iterator;
  using mapped_type = typename Second<typename Base::value_type>::Type;
  using value_compare = ValueOrder<typename Base::key_compare, typename Base::value_type>;
  value_compare value_comp() const { return value_compare(this->key_comp()); }
};

// With unique keys.
template <typename Core>
class UniqueMapInterface : public MapInterface<Core> {
  using Base = MapInterface<Core>;
  using Key = typename Base::key_type;
  using T = typename Base::mapped_type;

public:
  using Base::Base, Base::operator=;
  using typename Base::const_iterator, typename Base::iterator;

  template <typename... Args>
  std::pair<iterator, bool> try_emplace(const Key &key, Args &&...args) {
    return this->insert_keyed(key, std::piecewise_construct, std::forward_as_tuple(key),
                              std::forward_as_tuple(std::forward<Args>(args)...));
  }
  template <typename... Args>
  std::pair<iterator, bool> try_emplace(Key &&key, Args &&...args) {
    return this->insert_keyed(key, std::piecewise_construct, std::forward_as_tuple(std::move(key)),
                              std::forward_as_tuple(std::forward<Args>(args)...));
  }
  template <typename... Args>
  iterator try_emplace(const_iterator hint, const Key &key, Args &&...args) {
    return this->insert_keyed_near(hint, key, std::piecewise_construct, std::forward_as_tuple(key),
                                   std::forward_as_tuple(std::forward<Args>(args)...));
  }
  template <typename... Args>
  iterator try_emplace(const_iterator hint, Key &&key, Args &&...args) {
    return this->insert_keyed_near(hint, key, std::piecewise_construct,
                                   std::forward_as_tuple(std::move(key)),
                                   std::forward_as_tuple(std::forward<Args>(args)...));
  }
  template <typename M>
  std::pair<iterator, bool> insert_or_assign(const Key &key, M &&value) {
    return assign<M>(try_emplace(key, std::forward<M>(value)), value);
  }
  template <typename M>
  std::pair<iterator, bool> insert_or_assign(Key &&key, M &&value) {
    return assign<M>(try_emplace(std::move(key), std::forward<M>(value)), value);
  }
  template <typename M>
  iterator insert_or_assign(const_iterator hint, const Key &key, M &&value) {
    const auto before = this->size();
    const iterator place = try_emplace(hint, key, std::forward<M>(value));
    return assign<M>(std::pair{place, before != this->size()}, value).first;
  }
  template <typename M>
  iterator insert_or_assign(const_iterator hint, Key &&key, M &&value) {
    const auto before = this->size();
    const iterator place = try_emplace(hint, std::move(key), std::forward<M>(value));
    return assign<M>(std::pair{place, before != this->size()}, value).first;
  }
  T &operator[](const Key &key) { return try_emplace(key).first->second; }
  T &operator[](Key &&key) { return try_emplace(std::move(key)).first->second; }
  T &at(const Key &key) {
    const auto found = this->find(key);
    if (found == this->end()) throw_out_of_range("abut: at() of a key that is not in the map");
    return found->second;
  }
  const T &at(const Key &key) const { return const_cast<UniqueMapInterface *>(this)->at(key); }

private:
  // An insertion that found the key has left the value as it was. `M` is named: the caller's own object is copied.
  template <typename M>
  static std::pair<iterator, bool> assign(std::pair<iterator, bool> done,
                                          std::type_identity_t<M> &value) {
    if (!done.second) done.first->second = std::forward<M>(value);
    return done;
  }
};

template <typename Core>
class SetInterface : public Ordered<Core> {
public:
  using Ordered<Core>::Ordered, Ordered<Core>::operator=;
  using value_compare = typename Ordered<Core>::key_compare;
  value_compare value_comp() const { return this->key_comp(); }
};

} // namespace abut::detail

// What a container's class must say itself; the rest is its base's.
// NOLINTBEGIN(bugprone-macro-parentheses): the name of a class cannot stand in parentheses
#define ABUT_ORDERED_MEMBERS(NAME)                                                                 \
public:                                                                                            \
  using Base::Base;                                                                                \
  NAME() = default;                                                                                \
  NAME(const NAME &) = default;                                                                    \
  NAME(NAME &&) noexcept(std::is_nothrow_move_constructible_v<Base>) = default;                    \
  NAME(const NAME &other, const std::type_identity_t<Allocator> &allocator)                        \
      : Base(other, allocator) {}                                                                  \
  NAME(NAME &&other, const std::type_identity_t<Allocator> &allocator)                             \
      : Base(std::move(other), allocator) {}                                                       \
  /* Deduction of a class's arguments asks for this one in the class itself. */                    \
  NAME(std::initializer_list<typename Base::value_type> values, const Less &less = Less(),         \
       const Allocator &allocator = Allocator())                                                   \
      : Base(values, less, allocator) {}                                                           \
  ~NAME() = default;                                                                               \
  NAME &operator=(const NAME &) = default;                                                         \
  NAME &operator=(NAME &&) noexcept(std::is_nothrow_move_assignable_v<Base>) = default;            \
  NAME &operator=(std::initializer_list<typename Base::value_type> values) {                       \
    Base::operator=(values);                                                                       \
    return *this;                                                                                  \
  }                                                                                                \
  friend void swap(NAME &one, NAME &other) noexcept(noexcept(one.swap(other))) {                   \
    one.swap(other);                                                                               \
  }                                                                                                \
                                                                                                   \
  /* As std::erase_if: how many elements went. */                                                  \
  template <typename Predicate>                                                                    \
  friend std::size_t erase_if(NAME &from, Predicate unwanted) {                                    \
    return from.erase_where(unwanted);                                                             \
  }
// NOLINTEND(bugprone-macro-parentheses)
