#include "api/profile.hpp"

#include "base/profile.hpp"
#include "os/file.hpp"
#include "os/message.hpp"
#include "placement/place.hpp"
#include "placement/pools/assigned.hpp"

namespace abut::entry {
namespace {

using Table = ProfileReader::Table;

char text[kProfileBytes + 1];

os::Message values;

// With the values that there are, where they are words.
const char *no_value_of(const OptionInfo &option) {
  if (option.kind != OptionKind::choice) return "this is not a number";
  values = {};
  values << "this is not a value of that option, which has ";
  values.append(option.help + 1, std::strcspn(option.help, "]") - 1);
  values.append("", 1);
  return values.text();
}

void complain(const char *path, unsigned line, const char *what, const char *outcome) {
  os::Message message;
  message << "abut: ABUT_PROFILE=" << path << ": ";
  if (line != 0) message << "line " << uint64_t{line} << ": ";
  message << what << outcome << "\n";
  message.write();
}

// A plan that a profile names lies in the profile's folder, and what a run writes is for who runs it to say.
SetOption set_from(const char *path, const ProfileReader::Setting &setting) {
  char value[2 * kOptionPathBytes];
  size_t folder = 0;
  if (setting.name == "plan") {
    const char *slash = std::strrchr(path, '/');
    if (slash != nullptr && !setting.value.starts_with('/'))
      folder = static_cast<size_t>(slash - path) + 1;
  } else if (setting.name == "profile" || setting.name == "stats" ||
             setting.name == "explain_file") {
    return SetOption::unknown_name;
  }
  if (folder + setting.value.size() >= sizeof value) return SetOption::too_long;
  std::memcpy(value, path, folder);
  std::memcpy(value + folder, setting.value.data(), setting.value.size());
  value[folder + setting.value.size()] = '\0';
  return set_option(setting.name.data(), setting.name.size(), value);
}

// Null where it can be followed.
const char *fault_of(ProfileReader reader, unsigned &line) {
  ProfileReader::Setting setting;
  bool has_settings = false;
  while (reader.next(setting))
    has_settings |= setting.table == Table::settings || setting.table == Table::context;
  line = reader.fault() != nullptr ? reader.line() : 0;
  return reader.fault() != nullptr || has_settings ? reader.fault() : "it has no settings";
}

// Null where the line holds from now on; else why not.
const char *follow(const char *path, const ProfileReader::Setting &line) {
  switch (line.table) {
  case Table::settings: {
    const SetOption result = set_from(path, line);
    if (result == SetOption::done) return nullptr;
    const char *why = reason(result, line.name);
    return why != nullptr ? why : "there is no such option";
  }
  case Table::module:
  case Table::context: return group::assigned_contexts.add(line);
  case Table::head:
  case Table::program:
  case Table::machine: break;
  }
  return nullptr;
}

} // namespace

const char *reason(SetOption result, std::string_view option) {
  switch (result) {
  case SetOption::unknown_name: return replacement_for(option);
  case SetOption::not_a_value: return no_value_of(*find_option(option.data(), option.size()));
  case SetOption::out_of_range: return "this value is out of range";
  case SetOption::too_long: return "this path is too long";
  case SetOption::done: break;
  }
  return "";
}

void follow_profile(const char *path) {
  const int file = os::open_file(path);
  const size_t bytes = file < 0 ? 0 : os::read_file(file, text, sizeof text);
  if (file >= 0) os::close_file(file);
  const ProfileReader reader({text, bytes});
  unsigned line = 0;
  const char *fault = bytes == 0              ? "it cannot be read"
                      : bytes > kProfileBytes ? "it is longer than 64 KiB"
                                              : fault_of(reader, line);
  if (fault != nullptr) return complain(path, line, fault, "; the program runs without it");
  ProfileReader::Setting setting;
  for (ProfileReader again = reader; again.next(setting);)
    if (const char *why = follow(path, setting))
      complain(path, setting.line, why, "; it has no effect (`abut options` lists what there is)");
}

// A program's children are other programs as often as not; they need not say so.
void find_contexts(const char *path) {
  if (!group::assigned_contexts.any() || group::assigned_contexts.find()) return;
  if (option_value(Option::explain) != 0)
    complain(path, 0, "no context of it is in this program, or this build of it",
             "; its settings hold");
}

} // namespace abut::entry
