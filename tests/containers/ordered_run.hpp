// Two containers of a kind beside two of the standard's, under random operations.
#pragma once

#include "two_models.hpp"

#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace abut::fuzz {

// How an element is made and read: of a map, whose value may throw, and of a set.
template <typename Container>
struct Element {
  using Value = typename Container::value_type;
  static constexpr bool kIsMap = requires { typename Container::mapped_type; };
  static int key(const Value &value) {
    if constexpr (kIsMap)
      return value.first;
    else
      return number_of(value);
  }
  static int mapped(const Value &value) {
    if constexpr (kIsMap)
      return number_of(value.second);
    else
      return 0;
  }

private:
  template <bool Safe>
  static int number_of(const Guarded<Safe> &guarded) {
    return std::stoi(guarded.value);
  }
  static int number_of(int number) { return number; }
};

template <bool Multi>
using OrderedModel = std::conditional_t<Multi, std::multimap<int, int>, std::map<int, int>>;

template <typename Ours, bool Multi>
class OrderedRun : public TwoModels<OrderedRun<Ours, Multi>, Ours, OrderedModel<Multi>> {
  using Model = OrderedModel<Multi>;
  using Base = TwoModels<OrderedRun, Ours, Model>;
  friend Base;
  using Of = Element<Ours>;
  using Base::model_, Base::other_, Base::other_model_, Base::ours_, Base::steps_;
  using Base::strong, Base::weak;
  static constexpr int kKeys = 300;

  void step(Bytes &bytes) {
    const unsigned operation = bytes.next() % 16;
    const int key = bytes.below(kKeys);
    const unsigned chance = bytes.next() % 4 == 0 ? bytes.next() % 40 : 0;
    const int mapped = Of::kIsMap ? steps_ : 0;
    switch (operation) {
    case 0:
    case 1:
    case 2:
      strong(
          chance, [&] { add(ours_, key, mapped); }, [&] { model_.emplace(key, mapped); });
      break;
    case 3:
      strong(
          chance, [&] { ours_.erase(key_of(key)); }, [&] { model_.erase(key); });
      break;
    case 4: erase_one(chance, key); break;
    case 5:
      strong(
          chance, [&] { hint(key, mapped); },
          [&] { model_.emplace_hint(model_.lower_bound(key), key, mapped); });
      break;
    case 6: look_up(key); break;
    case 7:
      weak(
          chance, [&] { ours_.merge(other_); }, [&] { model_.merge(other_model_); });
      break;
    case 8:
      weak(
          chance, [&] { other_ = ours_; }, [&] { other_model_ = model_; });
      break;
    case 9:
      std::swap(ours_, other_);
      std::swap(model_, other_model_);
      break;
    case 10: erase_range(chance, key, key + static_cast<int>(bytes.next() % 64)); break;
    case 11:
      if constexpr (requires { ours_.relayout(); })
        strong(
            chance, [&] { ours_.relayout(); }, [] {});
      break;
    case 12: hand_over(chance, key); break;
    case 13: fill(chance, key, static_cast<int>(bytes.next()) % 100); break;
    case 14: erase_every(chance, key % 7 + 2); break;
    default:
      if (key < 20) {
        ours_.clear();
        model_.clear();
      } else {
        Ours moved(std::move(ours_));
        ours_ = std::move(moved);
      }
    }
  }

  static auto key_of(int key) {
    if constexpr (Of::kIsMap)
      return key;
    else
      return typename Ours::key_type(key);
  }
  static void add(Ours &to, int key, int mapped) {
    if constexpr (!Of::kIsMap)
      to.emplace(key);
    else if constexpr (Multi)
      to.emplace(std::piecewise_construct, std::forward_as_tuple(key),
                 std::forward_as_tuple(mapped));
    else
      to.try_emplace(key, mapped);
  }
  void hint(int key, int mapped) {
    const auto place = ours_.lower_bound(key_of(key));
    if constexpr (Of::kIsMap)
      ours_.emplace_hint(place, std::piecewise_construct, std::forward_as_tuple(key),
                         std::forward_as_tuple(mapped));
    else
      ours_.emplace_hint(place, key);
  }
  void erase_one(unsigned chance, int key) {
    const auto place = ours_.lower_bound(key_of(key));
    const auto model_place = model_.lower_bound(key);
    require((place == ours_.end()) == (model_place == model_.end()), "lower_bound differs");
    if (place == ours_.end()) return;
    auto next = place;
    strong(
        chance, [&] { next = ours_.erase(place); },
        [&] {
          const auto model_next = model_.erase(model_place);
          require((next == ours_.end()) == (model_next == model_.end()), "erase leads elsewhere");
          if (next != ours_.end()) require(Of::key(*next) == model_next->first, "next differs");
        });
  }
  void erase_range(unsigned chance, int from, int to) {
    strong(
        chance,
        [&] { ours_.erase(ours_.lower_bound(key_of(from)), ours_.lower_bound(key_of(to))); },
        [&] { model_.erase(model_.lower_bound(from), model_.lower_bound(to)); });
  }
  void look_up(int key) {
    const auto wanted = key_of(key);
    require(ours_.count(wanted) == model_.count(key), "count differs");
    require(ours_.contains(wanted) == model_.contains(key), "contains differs");
    const auto upper = ours_.upper_bound(wanted);
    const auto model_upper = model_.upper_bound(key);
    require((upper == ours_.end()) == (model_upper == model_.end()), "upper_bound differs");
    if (upper != ours_.end()) require(Of::key(*upper) == model_upper->first, "upper_bound differs");
  }
  // Through a handle, from one container to the other.
  void hand_over(unsigned chance, int key) {
    if constexpr (requires { ours_.extract(ours_.begin()); })
      weak(
          chance, [&] { other_.insert(ours_.extract(key_of(key))); },
          [&] { other_model_.insert(model_.extract(key)); });
  }
  void fill(unsigned chance, int key, int count) {
    weak(
        chance,
        [&] {
          for (int i = 0; i < count; ++i) add(ours_, (key + i * 7) % kKeys, i);
        },
        [&] {
          for (int i = 0; i < count; ++i) model_.emplace((key + i * 7) % kKeys, Of::kIsMap ? i : 0);
        });
  }
  void erase_every(unsigned chance, int divisor) {
    weak(
        chance,
        [&] { erase_if(ours_, [&](const auto &value) { return Of::key(value) % divisor == 0; }); },
        [&] {
          std::erase_if(model_, [&](const auto &value) { return value.first % divisor == 0; });
        });
  }

  static Model model_of(const Ours &ours) {
    Model model;
    for (const auto &value : ours) model.emplace(Of::key(value), Of::mapped(value));
    return model;
  }
  static void compare(const Ours &ours, const Model &model) {
    ours.check_invariants();
    require(ours.size() == model.size(), "the size differs");
    auto at = model.begin();
    for (const auto &value : ours) {
      require(Of::key(value) == at->first && Of::mapped(value) == at->second, "a walk differs");
      ++at;
    }
    auto back = model.rbegin();
    for (auto i = ours.rbegin(); i != ours.rend(); ++i, ++back)
      require(Of::key(*i) == back->first, "a walk back differs");
  }
};

} // namespace abut::fuzz
