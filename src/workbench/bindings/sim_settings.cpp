#include "bindings/sim_settings.hpp"

#include "bindings/failure.hpp"

#include <nanobind/stl/string.h>
#include <string>
#include <utility>

namespace abut::bindings {
namespace {

using sim::LevelSettings;

template <typename T>
using Names = std::initializer_list<std::pair<const char *, T>>;

template <typename T>
T named(const std::string &what, const std::string &name, Names<T> names) {
  std::string known;
  for (const auto &[known_name, value] : names) {
    if (name == known_name) return value;
    known += (known.empty() ? "" : ", ") + std::string(known_name);
  }
  throw TraceFailure({what + " '" + name + "'", "not known", "choose of " + known});
}

template <typename T>
T member(const nb::dict &level, const char *name, T standard) {
  if (!level.contains(name)) return standard;
  try {
    return nb::cast<T>(level[name]);
  } catch (const nb::cast_error &) {
    throw TraceFailure(
        {std::string("cache level: ") + name, "of the wrong type, or too large", ""});
  }
}

} // namespace

sim::Serves side_named(const std::string &name) {
  using sim::Serves;
  return named<Serves>("side", name,
                       {{"all", Serves::all},
                        {"application", Serves::application},
                        {"allocator", Serves::allocator}});
}

LevelSettings settings_of(const nb::dict &level) {
  using sim::Inclusion;
  using sim::Policy;
  using sim::Prefetch;
  LevelSettings settings;
  settings.name = member<std::string>(level, "name", "");
  settings.below = member<std::string>(level, "below", "");
  settings.capacity = member<uint64_t>(level, "capacity", 0);
  settings.line = member<uint32_t>(level, "line", 64);
  settings.sector = member<uint32_t>(level, "sector", 0);
  settings.ways = member<uint32_t>(level, "ways", 0);
  settings.policy = named<Policy>("policy", member<std::string>(level, "policy", "lru"),
                                  {{"lru", Policy::lru},
                                   {"fifo", Policy::fifo},
                                   {"plru", Policy::plru},
                                   {"random", Policy::random},
                                   {"rrip", Policy::rrip}});
  settings.write_back = member<bool>(level, "write_back", true);
  settings.write_allocate = member<bool>(level, "write_allocate", true);
  settings.inclusion =
      named<Inclusion>("inclusion", member<std::string>(level, "inclusion", "neither"),
                       {{"neither", Inclusion::neither},
                        {"inclusive", Inclusion::inclusive},
                        {"exclusive", Inclusion::exclusive}});
  settings.per_thread = member<bool>(level, "per_thread", false);
  settings.serves = side_named(member<std::string>(level, "serves", "all"));
  settings.prefetch = named<Prefetch>("prefetch", member<std::string>(level, "prefetch", "none"),
                                      {{"none", Prefetch::none},
                                       {"next-line", Prefetch::next_line},
                                       {"stride", Prefetch::stride},
                                       {"stream", Prefetch::stream}});
  settings.degree = member<uint32_t>(level, "degree", 1);
  settings.latency = member<uint32_t>(level, "latency", settings.latency);
  settings.seed = member<uint64_t>(level, "seed", 1);
  settings.classify = member<bool>(level, "classify", false);
  return settings;
}

} // namespace abut::bindings
