// The layouts that need no plan.
#include "sim/layouts/demand.hpp"
#include "sim/layouts/free_lists.hpp"
#include "sim/layouts/layout.hpp"

#include <unordered_map>

namespace abut::sim {
namespace {

using trace::Event;
using trace::EventKind;

// Far from where programs have their memory.
constexpr uint64_t kBegin = uint64_t{1} << 44;
constexpr uint64_t kLargeBegin = uint64_t{1} << 45;

class Recorded : public Layout {
protected:
  uint64_t place(const Event &event, uint64_t) override { return event.address; }
  void give_back(uint64_t, uint64_t) override {}
  bool can_stay(const Event &event, uint64_t, uint64_t) const override {
    return event.kind == EventKind::resize;
  }
};

class Planned : public Recorded {
public:
  explicit Planned(std::vector<uint64_t> addresses) : addresses_(std::move(addresses)) {}

protected:
  uint64_t place(const Event &event, uint64_t size) override {
    return is_planned(event) ? addresses_[event.object - 1] : Recorded::place(event, size);
  }
  bool can_stay(const Event &event, uint64_t size, uint64_t new_size) const override {
    return is_planned(event) || Recorded::can_stay(event, size, new_size);
  }

private:
  bool is_planned(const Event &event) const {
    return event.object - 1 < addresses_.size() && addresses_[event.object - 1] != 0;
  }

  std::vector<uint64_t> addresses_;
};

class Rearranged final : public Planned {
public:
  Rearranged(std::vector<uint64_t> addresses, Rearrangement fields)
      : Planned(std::move(addresses)), fields_(std::move(fields)) {}

protected:
  bool is_rearranged(uint64_t object) const override {
    return object - 1 < fields_.second.size() && fields_.second[object - 1] != 0;
  }
  uint64_t address_of_field(uint64_t object, uint64_t base, uint64_t offset) const override {
    if (offset >= fields_.to.size()) return base + offset;
    const int32_t to = fields_.to[offset];
    return to >= 0 ? base + static_cast<uint64_t>(to)
                   : fields_.second[object - 1] + static_cast<uint64_t>(~to);
  }

private:
  Rearrangement fields_;
};

class LineEach final : public Layout {
protected:
  uint64_t place(const Event &, uint64_t size) override { return free_lists_.take(size); }
  void give_back(uint64_t base, uint64_t size) override { free_lists_.give_back(base, size); }
  bool can_stay(const Event &, uint64_t size, uint64_t new_size) const override {
    return free_lists_.rounded(size) == free_lists_.rounded(new_size);
  }

private:
  FreeLists free_lists_{kBegin, kLineBytes};
};

// A place is tried until one is free, which on average is soon: half of the space is free even when most is in use.
// Objects of more than a page are put one after another.
class Anywhere final : public Layout {
public:
  Anywhere(const Demand &demand, uint64_t seed)
      : taken_(std::max<uint64_t>(2 * demand.most_small_granules(), 4096)),
        state_(seed * 0x9e3779b97f4a7c15U | 1) {}

protected:
  uint64_t place(const Event &, uint64_t size) override {
    if (size > kPageBytes) return large_.take(size);
    const uint64_t count = granules(size);
    uint64_t at = random_place(count);
    int tries = 1;
    for (; tries < kTries && !is_free(at, count); ++tries) at = random_place(count);
    // Where the free pieces are too small to be found by chance, the space grows.
    if (tries == kTries && !is_free(at, count)) {
      at = taken_.size();
      taken_.resize(at + count);
    }
    mark(at, count, true);
    return kBegin + at * kGranule;
  }

  void give_back(uint64_t base, uint64_t size) override {
    if (size > kPageBytes) return large_.give_back(base, size);
    mark((base - kBegin) / kGranule, granules(size), false);
  }

  bool can_stay(const Event &, uint64_t size, uint64_t new_size) const override {
    if (size > kPageBytes || new_size > kPageBytes)
      return std::min(size, new_size) > kPageBytes &&
             large_.rounded(size) == large_.rounded(new_size);
    return granules(size) == granules(new_size);
  }

private:
  static constexpr int kTries = 64;

  uint64_t random_place(uint64_t count) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return (state_ >> 16) % (taken_.size() - count + 1);
  }

  bool is_free(uint64_t at, uint64_t count) const {
    for (uint64_t i = 0; i < count; ++i)
      if (taken_[at + i]) return false;
    return true;
  }

  void mark(uint64_t at, uint64_t count, bool taken) {
    for (uint64_t i = 0; i < count; ++i) taken_[at + i] = taken;
  }

  std::vector<bool> taken_; // by granule
  uint64_t state_;
  FreeLists large_{kLargeBegin, kPageBytes};
};

class BySize final : public Layout {
public:
  explicit BySize(const Demand &demand) {
    uint64_t begin = kBegin;
    for (const auto &[size, most] : demand.most_by_size()) {
      by_size_.try_emplace(size, FreeLists(begin, kGranule));
      begin += size * most;
    }
  }

protected:
  uint64_t place(const Event &, uint64_t size) override { return lists_of(size).take(size); }
  void give_back(uint64_t base, uint64_t size) override { lists_of(size).give_back(base, size); }
  bool can_stay(const Event &, uint64_t size, uint64_t new_size) const override {
    return granules(size) == granules(new_size);
  }

private:
  FreeLists &lists_of(uint64_t size) {
    return by_size_.try_emplace(granules(size) * kGranule, FreeLists(kLargeBegin, kGranule))
        .first->second;
  }

  std::unordered_map<uint64_t, FreeLists> by_size_;
};

} // namespace

std::optional<LayoutName> layout_named(std::string_view name) {
  if (name == "recorded") return LayoutName::recorded;
  if (name == "line") return LayoutName::line_each;
  if (name == "random") return LayoutName::random;
  if (name == "size") return LayoutName::by_size;
  return {};
}

std::unique_ptr<Layout> make_layout(LayoutName name, uint64_t seed, trace::Reader &reader) {
  switch (name) {
  case LayoutName::recorded: return std::make_unique<Recorded>();
  case LayoutName::line_each: return std::make_unique<LineEach>();
  case LayoutName::random: return std::make_unique<Anywhere>(Demand::of(reader), seed);
  case LayoutName::by_size: return std::make_unique<BySize>(Demand::of(reader));
  }
  return nullptr;
}

std::unique_ptr<Layout> make_layout(std::vector<uint64_t> addresses) {
  return std::make_unique<Planned>(std::move(addresses));
}

std::unique_ptr<Layout> make_layout(std::vector<uint64_t> addresses, Rearrangement fields) {
  return std::make_unique<Rearranged>(std::move(addresses), std::move(fields));
}

} // namespace abut::sim
