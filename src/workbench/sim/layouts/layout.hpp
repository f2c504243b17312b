// A layout: which address each object has, when. The same run can so be simulated under layouts that it never had.
#pragma once

#include "sim/reference.hpp"
#include "trace/events.hpp"
#include "trace/reader.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace abut::sim {

class Layout {
public:
  Layout() = default;
  Layout(const Layout &) = delete;
  Layout &operator=(const Layout &) = delete;
  virtual ~Layout() = default;

  // What happened to an object. One that is freed keeps its address: allocators still touch it.
  void take(const trace::Event &event);

  // Where that byte of the object is now. Object 0, and those whose births are lost, are at the offset itself.
  uint64_t address_of(uint64_t object, uint64_t offset) const {
    if (object >= places_.size()) return offset;
    const Place &place = places_[object];
    return place.rearranged ? address_of_field(object, place.base, offset) : place.base + offset;
  }

  // Where that byte lay when it was recorded.
  uint64_t recorded_address_of(uint64_t object, uint64_t offset) const {
    return object < places_.size() ? places_[object].recorded + offset : offset;
  }

  bool knows(uint64_t object) const { return object < places_.size(); }

protected:
  // Where `size` bytes of the event's object shall be, from now on.
  virtual uint64_t place(const trace::Event &event, uint64_t size) = 0;
  // Its bytes are free for others.
  virtual void give_back(uint64_t base, uint64_t size) = 0;
  // Whether an object of `size` bytes may grow or shrink to `new_size` where it is.
  virtual bool can_stay(const trace::Event &event, uint64_t size, uint64_t new_size) const = 0;
  // Whether the object's bytes have another order than they had.
  virtual bool is_rearranged(uint64_t) const { return false; }
  virtual uint64_t address_of_field(uint64_t, uint64_t base, uint64_t offset) const {
    return base + offset;
  }

private:
  struct Place {
    uint64_t base = 0;
    uint64_t size = 0;
    uint64_t recorded = 0;
    bool live = false;
    bool rearranged = false;
  };

  void settle(Place &place, const trace::Event &event);

  std::vector<Place> places_{Place{}};
};

enum class LayoutName : uint8_t {
  recorded,  // as it was
  line_each, // each object begins a line of its own
  random,    // anywhere in twice the space that is needed at the most
  by_size,   // smaller objects at lower addresses
};

std::optional<LayoutName> layout_named(std::string_view name);

// Reads the trace's events once where the layout has to know how much there will be of what.
std::unique_ptr<Layout> make_layout(LayoutName name, uint64_t seed, trace::Reader &reader);
// Object i + 1 lies at addresses[i], all its life; those that are not in it, or at 0 there, as recorded.
std::unique_ptr<Layout> make_layout(std::vector<uint64_t> addresses);

// Objects whose fields change their places: object i + 1 has its second part at second[i], which is 0 where the object
// stays as it is. Byte n moves to byte to[n] of the first part, or ~to[n] of the second where that is negative; bytes
// behind the end of `to` keep their distance to the begin.
struct Rearrangement {
  std::vector<uint64_t> second;
  std::vector<int32_t> to;
};
std::unique_ptr<Layout> make_layout(std::vector<uint64_t> addresses, Rearrangement fields);

} // namespace abut::sim
