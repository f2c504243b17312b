#include "placement/pools/assigned.hpp"

#include "context/build_id.hpp"
#include "context/chain_table.hpp"
#include "os/file.hpp"
#include "placement/pools/symbol_file.hpp"

#include <algorithm>
#include <bitset>
#include <cerrno>
#include <charconv>
#include <climits>
#include <link.h>

namespace abut::group {

constinit AssignedContexts assigned_contexts;

namespace {

// "luaH_new" of "lua5.4+0x1a2b(luaH_new)"; a part of a text ends where the mark begins.
std::string_view cut_at(std::string_view &text, std::string_view mark) {
  const size_t at = std::min(text.rfind(mark), text.size());
  const std::string_view before{text.data(), at};
  text.remove_prefix(std::min(at + mark.size(), text.size()));
  return before;
}

bool read_number(std::string_view text, int base, uint64_t &number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  return error == std::errc{} && end == text.data() + text.size();
}

uint32_t hash_of(std::string_view name) {
  uint32_t hash = 2166136261; // FNV-1a
  for (const char letter : name) hash = (hash ^ static_cast<unsigned char>(letter)) * 16777619;
  return hash ^ hash >> 16;
}

bool is_same(context::BuildId id, std::string_view digits) {
  constexpr char kDigits[] = "0123456789abcdef";
  if (id.empty() || digits.size() != 2 * id.size()) return false;
  for (size_t i = 0; i < id.size(); ++i)
    if (digits[2 * i] != kDigits[id[i] >> 4] || digits[2 * i + 1] != kDigits[id[i] & 15])
      return false;
  return true;
}

// A library's name without its folder and its version.
std::string_view plain_name(std::string_view path) {
  if (const size_t slash = path.rfind('/'); slash != std::string_view::npos)
    path.remove_prefix(slash + 1);
  return {path.data(), std::min(path.find(".so"), path.size())};
}

const char *path_of(const context::LoadedObject &object) {
  const char *path = static_cast<const link_map *>(object.identity)->l_name;
  return *path != '\0' ? path : "/proc/self/exe";
}

// A program has the name of its file, and that of the link by which it was started.
bool has_name(const context::LoadedObject &object, std::string_view name) {
  if (object.identity != context::program().identity) return plain_name(path_of(object)) == name;
  static constinit char file[PATH_MAX] = {};
  if (file[0] == '\0') os::program_path(file, sizeof file);
  return plain_name(file) == name || plain_name(program_invocation_short_name) == name;
}

} // namespace

const char *AssignedContexts::add(const ProfileReader::Setting &line) {
  const bool begins = line.entry != entry_;
  const bool is_module = line.table == ProfileReader::Table::module;
  if (begins && (is_module ? module_count_ == kMostModules : count_ == kMostContexts))
    return is_module ? "there are more than 32 modules" : "there are more than 256 contexts";
  entry_ = line.entry;
  if (is_module) {
    module_count_ += begins;
    return add_to_module(line);
  }
  count_ += begins;
  return add_to_context(line);
}

const char *AssignedContexts::add_to_module(const ProfileReader::Setting &line) {
  Module &module = modules_[module_count_ - 1];
  if (line.name == "name")
    module.name = line.value;
  else if (line.name == "build_id")
    module.build_id = line.value;
  else
    return "a module has a name and a build_id";
  return nullptr;
}

const char *AssignedContexts::add_to_context(const ProfileReader::Setting &line) {
  Context &context = contexts_[count_ - 1];
  if (line.name != "calls") return assign(context.assignment, line);
  context.text = line.value;
  std::string_view left = line.value;
  while (!left.empty()) {
    const std::string_view call{left.data(), std::min(left.find(' '), left.size())};
    left.remove_prefix(std::min(call.size() + 1, left.size()));
    if (const char *wrong = add_call(context, call)) return wrong;
  }
  return nullptr;
}

const char *AssignedContexts::assign(Assignment &assignment, const ProfileReader::Setting &line) {
  if (assignment.kind != sites::Kind::undecided) return "a context has a pool or a place";
  uint64_t number = 0;
  if (line.name == "pool") {
    if (!read_number(line.value, 10, number) || number == kNoPool || number > kMostPools)
      return "pools are numbered from 1 to 254";
    assignment = {sites::Kind::pool, static_cast<PoolId>(number)};
  } else if (line.name != "place") {
    return "a context has calls, and a pool or a place";
  } else if (line.value == "plain") {
    assignment.kind = sites::Kind::plain;
  } else if (line.value == "beside") {
    assignment.kind = sites::Kind::beside;
  } else {
    return "a context's place is plain or beside";
  }
  return nullptr;
}

Assigns AssignedContexts::kinds() const {
  Assigns found{.any = any()};
  for (const Context &context : std::span(contexts_, count_)) {
    found.pools |= context.assignment.kind == sites::Kind::pool;
    found.beside |= context.assignment.kind == sites::Kind::beside;
  }
  return found;
}

const char *AssignedContexts::add_call(Context &context, std::string_view text) {
  std::string_view function = text;
  std::string_view offset = cut_at(function, "(");
  const std::string_view name = cut_at(offset, "+0x");
  if (function.ends_with(')')) function.remove_suffix(1);
  uint64_t number = 0;
  if (context.count == kMostCalls || !read_number(offset, 16, number))
    return "calls are up to 4 of MODULE+0xOFFSET(FUNCTION)";
  for (const Module &module : std::span(modules_, module_count_)) {
    if (module.name != name) continue;
    context.calls[context.count++] = {number, 0, 0, &module, function, hash_of(function)};
    return nullptr;
  }
  return "no module before it has the name that a call has";
}

template <class Visit>
void AssignedContexts::each_call_in(const Module &module, Visit visit) {
  for (Context &context : std::span(contexts_, count_))
    for (Call &call : std::span(context.calls, context.count))
      if (call.module == &module) visit(call);
}

// The module of which an object is the build that was measured; its calls are where they were.
AssignedContexts::Module *AssignedContexts::measured_module(const context::LoadedObject &object) {
  const context::BuildId id = context::build_id(object);
  for (Module &module : std::span(modules_, module_count_)) {
    if (!is_same(id, module.build_id)) continue;
    if (module.build != Build::measured)
      each_call_in(module, [](Call &call) {
        call.begin = call.offset;
        call.end = call.offset + 1;
      });
    module.build = Build::measured;
    return &module;
  }
  return nullptr;
}

// The module of which an object is another build, by its name: the first such object that is met, where the build that was
// measured was not.
AssignedContexts::Module *AssignedContexts::named_module(const context::LoadedObject &object) {
  const context::BuildId id = context::build_id(object);
  const uint32_t hash = hash_of({reinterpret_cast<const char *>(id.data()), id.size()});
  for (Module &module : std::span(modules_, module_count_)) {
    if (module.build == Build::measured || !has_name(object, plain_name(module.name))) continue;
    if (module.build == Build::unknown) {
      module.build = Build::other;
      module.other = hash;
      find_functions(module, object);
    }
    if (module.other == hash) return &module;
  }
  return nullptr;
}

// The module's calls are somewhere in the functions of their names, or nowhere: also where two functions have the name.
void AssignedContexts::find_functions(const Module &module, const context::LoadedObject &object) {
  constexpr uint64_t kAmbiguous = UINT64_MAX;
  // A bit for each hash of a wanted name rules out most of a file's functions. One thread comes here at a time.
  static std::bitset<1 << 14> wanted;
  wanted.reset();
  each_call_in(module, [](Call &call) { wanted[call.hash % wanted.size()] = true; });
  const SymbolFile file(path_of(object));
  file.each_function([&](const Function &function) {
    const uint32_t hash = hash_of(function.name);
    if (!wanted[hash % wanted.size()]) return;
    each_call_in(module, [&](Call &call) {
      if (call.hash != hash || call.function != function.name) return;
      const bool second = call.begin != call.end && call.begin != function.begin;
      const bool ambiguous = second || call.begin == kAmbiguous;
      call.begin = ambiguous ? kAmbiguous : function.begin;
      call.end = ambiguous ? kAmbiguous : function.end;
    });
  });
}

// First by builds: a name may be that of several objects.
bool AssignedContexts::find() {
  const auto each_object = [](auto visit) {
    for (auto *map = static_cast<const link_map *>(context::program().identity); map != nullptr;
         map = map->l_next)
      if (const auto object = context::object_around(reinterpret_cast<Address>(map->l_ld)))
        visit(object);
  };
  bool any = false;
  each_object([&](const auto &object) { any |= measured_module(object) != nullptr; });
  each_object([&](const auto &object) {
    if (const Module *module = named_module(object))
      each_call_in(*module, [&](const Call &call) { any |= call.begin != call.end; });
  });
  if (!any) count_ = 0;
  return any;
}

AssignedContexts::Place AssignedContexts::place_of(Address return_address) {
  const context::LoadedObject object = context::object_around(return_address - 1);
  Module *module = object ? measured_module(object) : nullptr;
  if (object && module == nullptr) module = named_module(object);
  if (module == nullptr) return {};
  return {module, return_address - 1 - context::load_bias(object)};
}

Assignment AssignedContexts::of(context::Frame frame) {
  Place places[kMostCalls];
  unsigned count = 0;
  context::chain_table.each_step(frame, [&](uint64_t key, const context::ChainStep &) {
    if (count < kMostCalls) places[count++] = place_of(context::ChainTable::address_in(key));
  });
  Context *best = nullptr;
  for (Context &context : std::span(contexts_, count_)) {
    bool same = context.count != 0 && context.count <= count;
    for (unsigned call = 0; same && call < context.count; ++call)
      same = holds(context.calls[call], places[call]);
    if (same && (best == nullptr || context.count > best->count)) best = &context;
  }
  if (best == nullptr) return {};
  best->is_met = true;
  return best->assignment;
}

void AssignedContexts::set_limits(SiteLimits &limits) const {
  const auto is_unknown = [](const Module &module) { return module.build == Build::unknown; };
  if (std::ranges::any_of(std::span(modules_, module_count_), is_unknown)) return;
  limits.set_all_plain();
  for (const Context &context : std::span(contexts_, count_)) {
    if (context.count == 0 || context.assignment.kind != sites::Kind::pool) continue;
    const Call &call = context.calls[0];
    const uint64_t count = std::min<uint64_t>(call.end - call.begin, std::size(limits.sizes));
    for (uint64_t i = 0; i < count; ++i) limits.set_not_plain(call.begin + 1 + i);
  }
}

bool AssignedContexts::any_begins_at(Address site) {
  const Place place = place_of(site);
  for (unsigned i = 0; i < count_; ++i)
    if (contexts_[i].count != 0 && holds(contexts_[i].calls[0], place)) return true;
  return false;
}

} // namespace abut::group
