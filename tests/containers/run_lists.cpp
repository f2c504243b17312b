// Two lists beside two of the standard's.
#include "abut/list.hpp"
#include "two_models.hpp"

#include <algorithm>
#include <list>

namespace abut::fuzz {
namespace {

template <bool Safe>
using ListOf = list<Guarded<Safe>, CountingAllocator<Guarded<Safe>>>;

template <bool Safe>
class ListRun : public TwoModels<ListRun<Safe>, ListOf<Safe>, std::list<int>> {
  using Value = Guarded<Safe>;
  using Ours = ListOf<Safe>;
  using Model = std::list<int>;
  using Base = TwoModels<ListRun, Ours, Model>;
  friend Base;
  using Base::model_, Base::other_, Base::other_model_, Base::ours_;
  using Base::strong, Base::weak;
  // As the elements' texts are ordered.
  static bool before(int one, int other) { return Value(one) < Value(other); }

  void step(Bytes &bytes) {
    const unsigned operation = bytes.next() % 15;
    const int at = bytes.below(1 << 12);
    const int number = static_cast<int>(bytes.next());
    const unsigned chance = bytes.next() % 4 == 0 ? bytes.next() % 40 : 0;
    const long here = model_.empty() ? 0 : at % static_cast<int>(model_.size());
    const auto place = std::next(ours_.begin(), here);
    const auto model_place = std::next(model_.begin(), here);
    switch (operation) {
    case 0:
    case 1:
      strong(
          chance, [&] { ours_.emplace_back(number); }, [&] { model_.push_back(number); });
      break;
    case 2:
      strong(
          chance, [&] { ours_.emplace_front(number); }, [&] { model_.push_front(number); });
      break;
    case 3:
      strong(
          chance, [&] { ours_.emplace(place, number); },
          [&] { model_.insert(model_place, number); });
      break;
    case 4:
      if (model_.empty()) break;
      ours_.erase(place);
      model_.erase(model_place);
      break;
    case 5:
      strong(
          chance, [&] { ours_.insert(place, 9, Value(number)); },
          [&] { model_.insert(model_place, 9, number); });
      break;
    case 6:
      strong(
          chance, [&] { ours_.sort(ThrowingLess()); }, [&] { model_.sort(before); });
      break;
    case 7:
      ours_.splice(place, other_);
      model_.splice(model_place, other_model_);
      break;
    case 8: splice_part(chance, number); break;
    case 9:
      ours_.reverse();
      model_.reverse();
      break;
    case 10:
      weak(
          chance, [&] { ours_.unique(); }, [&] { model_.unique(); });
      break;
    case 11:
      weak(
          chance, [&] { ours_.remove(Value(number)); }, [&] { model_.remove(number); });
      break;
    case 12:
      if constexpr (Safe)
        strong(
            chance, [&] { ours_.relayout(); }, [] {});
      break;
    case 13:
      strong(
          chance, [&] { other_ = ours_; }, [&] { other_model_ = model_; });
      break;
    default:
      std::swap(ours_, other_);
      std::swap(model_, other_model_);
      merge(chance);
    }
  }
  void splice_part(unsigned chance, int number) {
    const long last = std::min<long>(number, static_cast<long>(other_model_.size()));
    const long first = last / 2;
    const auto range = [&](auto &from) {
      return std::pair{std::next(from.begin(), first), std::next(from.begin(), last)};
    };
    const auto [from, to] = range(other_);
    const auto [model_from, model_to] = range(other_model_);
    weak(
        chance, [&, from = from, to = to] { ours_.splice(ours_.begin(), other_, from, to); },
        [&, from = model_from, to = model_to] {
          model_.splice(model_.begin(), other_model_, from, to);
        });
  }
  void merge(unsigned chance) {
    weak(
        chance,
        [&] {
          ours_.sort();
          other_.sort();
          ours_.merge(other_, ThrowingLess());
        },
        [&] {
          model_.sort(before);
          other_model_.sort(before);
          model_.merge(other_model_, before);
        });
  }

  static int number_of(const Value &value) { return std::stoi(value.value); }
  static Model model_of(const Ours &ours) {
    Model model;
    for (const Value &value : ours) model.push_back(number_of(value));
    return model;
  }
  static void compare(const Ours &ours, const Model &model) {
    require(ours.size() == model.size(), "the size of a list differs");
    require(model_of(ours) == model, "a walk through a list differs");
    auto back = model.rbegin();
    for (auto i = ours.rbegin(); i != ours.rend(); ++i, ++back)
      require(number_of(*i) == *back, "a walk back through a list differs");
  }
};

} // namespace

void run_lists(Bytes &bytes, unsigned kind) {
  if (kind % 2 == 0)
    ListRun<true>().run(bytes);
  else
    ListRun<false>().run(bytes);
}

} // namespace abut::fuzz
