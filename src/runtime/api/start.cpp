// What happens when the library is loaded and when the process ends.
#include "api/deepbind.hpp"
#include "api/explanation.hpp"
#include "api/profile.hpp"
#include "api/statistics_file.hpp"
#include "base/options.hpp"
#include "os/message.hpp"
#include "placement/friends/placement.hpp"
#include "placement/plan/follower.hpp"

#include <cstring>

// Defined in the library that checks blocks: probes/checked/start.cpp.
extern const char kChecksBlocks __asm__("abut_checks_blocks")
    __attribute__((weak, visibility("hidden")));

namespace abut::entry {

namespace {

constexpr size_t kLongestName = 64;

bool checks_blocks() { return &kChecksBlocks != nullptr; }

// Of another library: this one would say nothing of a fault, and seem to have found none.
void refuse_check(const char *value) {
  os::Message message;
  message << "abut: ABUT_CHECK: this library checks nothing; type `abut run --check " << value
          << " -- PROGRAM`\n";
  message.write();
}

// `setting` is NAME=value, without the prefix. Unknown names may belong to the command line: they are let be.
void set_from_environment(const char *setting) {
  const char *equals = std::strchr(setting, '=');
  if (equals == nullptr || static_cast<size_t>(equals - setting) >= kLongestName) return;
  char name[kLongestName];
  size_t length = 0;
  for (; setting + length < equals; ++length)
    name[length] = static_cast<char>(setting[length] |
                                     ('A' <= setting[length] && setting[length] <= 'Z' ? 0x20 : 0));
  if (!checks_blocks() && length == 5 && std::memcmp(name, "check", 5) == 0)
    return refuse_check(equals + 1);
  const SetOption result = set_option(name, length, equals + 1);
  const char *why = result == SetOption::done ? nullptr : reason(result, {name, length});
  if (why == nullptr) return;
  os::Message message;
  message << "abut: ABUT_";
  message.append(setting, std::strlen(setting));
  message << ": " << why << "; it has no effect (`abut options` lists what there is)\n";
  message.write();
}

__attribute__((constructor(101))) void start(int, char **, char **environment) {
  constexpr char kPrefix[] = "ABUT_", kProfile[] = "ABUT_PROFILE=";
  if (!os::heeds_environment()) environment = nullptr;
  // Before the others, which win.
  for (char **entry = environment; entry && *entry; ++entry)
    if (std::strncmp(*entry, kProfile, sizeof kProfile - 1) == 0 && (*entry)[sizeof kProfile - 1])
      follow_profile(*entry + sizeof kProfile - 1);
  for (char **entry = environment; entry && *entry; ++entry)
    if (std::strncmp(*entry, kPrefix, sizeof kPrefix - 1) == 0)
      set_from_environment(*entry + sizeof kPrefix - 1);
  heap::follow_options();
  const bool profile_assigns = group::assigned_contexts.any();
  find_contexts(option_path(Option::profile));
  if (option_value(Option::deepbind) != 0) keep_deepbind();
  if (checks_blocks()) return; // and places nothing
  const Place place = chosen_place(profile_assigns, group::assigned_contexts.kinds());
  if (place.friends != Friends::none || place.pools != Pools::none) near::start(place);
  plan::start();
}

__attribute__((destructor(101))) void end() {
  write_statistics_file();
  if (option_value(Option::explain) != 0) {
    explain();
    explain_plan();
    if (*option_path(Option::profile) == '\0') suggest_tuning();
  }
  write_explanation_file();
}

} // namespace
} // namespace abut::entry
