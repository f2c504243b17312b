#include "placement/place.hpp"

#include "os/message.hpp"

namespace abut {

Place place_in_force{};

namespace {

// In the order of the option's words.
constexpr Place kPlaces[] = {
    {.value = "auto", .friends = Friends::every, .takes_assigned = true},
    {.value = "off"},
    {.value = "friends", .friends = Friends::every},
    {.value = "pools", .takes_assigned = true, .pools = Pools::every},
    {.value = "auto:pools", .friends = Friends::every, .pools = Pools::promising},
    {.value = "pools:linked", .pools = Pools::every, .merging = Merging::linked},
    {.value = "pools:apart", .pools = Pools::every, .merging = Merging::none},
    {.value = "pools:sampled", .pools = Pools::every, .is_sampled = true},
};

struct Replaced {
  std::string_view option;
  const char *by;
};
constexpr Replaced kReplaced[] = {
    {"friends", "write ABUT_PLACE=off or ABUT_PLACE=friends"},
    {"groups", "write ABUT_PLACE=auto:pools for on, ABUT_PLACE=pools for all"},
    {"group_merge", "write ABUT_PLACE=pools:linked or ABUT_PLACE=pools:apart"},
    {"group_pools", "write abut run --heap dpa-forwarded or --heap dpa-padded"},
    {"sample", "write ABUT_PLACE=pools:sampled"},
};

void complain(const char *what, const Place &place) {
  os::Message message;
  message << "abut: " << what << " has no effect with ABUT_PLACE=" << place.value << "\n";
  message.write();
}

bool is_set(Option option) { return option_value(option) != option_info(option).standard; }

} // namespace

const Place &declared_place(int64_t value) { return kPlaces[value]; }

Place chosen_place(bool profile_assigns, const Assigns &here) {
  Place place = declared_place(option_value(Option::place));
  if (place.takes_assigned && profile_assigns) {
    place.pools = here.pools ? Pools::assigned : Pools::none;
    if (place.friends == Friends::none && here.beside) place.friends = Friends::assigned;
  }
  const bool is_assigned = place.pools == Pools::assigned, has_pools = place.pools != Pools::none;
  if (here.any && !place.takes_assigned) complain("what ABUT_PROFILE says of contexts", place);
  if (is_set(Option::group_objects) && !has_pools) complain("ABUT_GROUP_OBJECTS", place);
  if (is_set(Option::group_bytes) && (!has_pools || is_assigned))
    complain("ABUT_GROUP_BYTES", place);
  if (is_set(Option::sample_us) && !place.is_sampled) complain("ABUT_SAMPLE_US", place);
  return place;
}

const char *replacement_for(std::string_view option) {
  for (const Replaced &one : kReplaced)
    if (one.option == option) return one.by;
  return nullptr;
}

} // namespace abut
