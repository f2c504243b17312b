// Contexts that a profile assigns a place: who allocates, by calls in modules, and where the objects go.
//
// A call is where it was measured: at an offset of a build of a module. In another build it is any call in the function of
// that name. A call chain is compared when it is met first, not at each request.
#pragma once

#include "base/profile.hpp"
#include "context/frame_rule.hpp"
#include "context/loaded_code.hpp"
#include "placement/place.hpp"
#include "placement/pools/pools.hpp"
#include "placement/sites/site_table.hpp"

#include <span>

namespace abut::group {

// Where a context's objects go: in a pool, beside their friends, plain; or it is undecided, since the profile does not have it.
struct Assignment {
  sites::Kind kind = sites::Kind::undecided;
  PoolId pool = kNoPool;
};

class AssignedContexts {
public:
  static constexpr unsigned kMostCalls = 4;

  // Takes a line of a profile's modules or contexts, which stays where it is; null, or what is wrong with it. Modules come
  // before calls in them.
  const char *add(const ProfileReader::Setting &line);

  bool any() const { return count_ != 0; }
  Assigns kinds() const;

  // Looks for the calls in what is loaded; false where none of their modules is there in the build that was measured, or
  // has a function of theirs: then there are no contexts any more. Before there are threads.
  bool find();

  // Of the chain that ends in a frame: that of the longest context which it begins with. Under the lock.
  Assignment of(context::Frame frame);

  // Whether some context begins with the call that returns there. Under the lock.
  bool any_begins_at(Address site);

  // Calls `visit(std::string_view calls, const Assignment &, bool met)` for each context; met: of() returned it. Of long calls it
  // shows what fits in a message.
  template <class Visit>
  void each(Visit visit) const {
    for (unsigned i = 0; i < count_; ++i)
      visit(contexts_[i].text.substr(0, kMostShown), contexts_[i].assignment, contexts_[i].is_met);
  }

  // A thread that forks holds it. A thread that finds it taken looks another time.
  os::SpinLock &lock() { return lock_; }

  // Sets what no context begins at. The last byte of a return address is the same wherever its module is loaded. Nothing is set
  // where a module was not loaded when find() was called: it may come in another build.
  void set_limits(SiteLimits &limits) const;

private:
  static constexpr size_t kMostShown = 400;
  static constexpr unsigned kMostModules = 32;
  static constexpr unsigned kMostContexts = 256;

  enum class Build : uint8_t { unknown, measured, other };

  struct Module {
    std::string_view name;
    std::string_view build_id; // in hexadecimal
    Build build = Build::unknown;
    uint32_t other = 0; // which other build it is: its build-id's hash
  };

  struct Call {
    uint64_t offset = 0;         // in the build that was measured
    uint64_t begin = 0, end = 0; // offsets in the module that the call's last byte may have
    const Module *module = nullptr;
    std::string_view function;
    uint32_t hash = 0; // of the function's name
  };

  struct Context {
    Call calls[kMostCalls];
    unsigned count = 0;
    bool is_met = false;
    Assignment assignment;
    std::string_view text; // of the calls
  };

  // Where a return address lies.
  struct Place {
    const Module *module = nullptr; // null where it is none of the profile's
    uint64_t offset = 0;
  };

  const char *add_to_module(const ProfileReader::Setting &line);
  const char *add_to_context(const ProfileReader::Setting &line);
  static const char *assign(Assignment &assignment, const ProfileReader::Setting &line);
  const char *add_call(Context &context, std::string_view text);
  Place place_of(Address return_address);
  Module *measured_module(const context::LoadedObject &object);
  Module *named_module(const context::LoadedObject &object);
  template <class Visit>
  void each_call_in(const Module &module, Visit visit);
  void find_functions(const Module &module, const context::LoadedObject &object);
  static bool holds(const Call &call, const Place &place) {
    return place.module != nullptr && call.module == place.module && call.begin <= place.offset &&
           place.offset < call.end;
  }

  os::SpinLock lock_;
  unsigned module_count_ = 0, count_ = 0;
  unsigned entry_ = 0; // of the profile, that lines are added to
  Module modules_[kMostModules];
  Context contexts_[kMostContexts];
};

extern constinit AssignedContexts assigned_contexts;

} // namespace abut::group
