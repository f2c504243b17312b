#include "collect/options.hpp"

#include <cstddef>
#include <cstdlib>
#include <stdexcept>
#include <utility>

namespace abut::record {

namespace {

// The value of `argument` where it begins with `name`; else null.
const char *value_of(const std::string &argument, const char *name) {
  const std::string begin = std::string(name) + "=";
  return argument.compare(0, begin.size(), begin) == 0 ? argument.c_str() + begin.size() : nullptr;
}

Recorder recorder_called(const std::string &name) {
  for (const Recorder recorder : {Recorder::valgrind, Recorder::light, Recorder::compiled})
    if (name == name_of(recorder)) return recorder;
  throw std::invalid_argument(name + ": no such recorder");
}

bool take(Options &options, const std::string &argument) {
  const std::pair<const char *, bool *> flags[] = {{"--lossless", &options.lossless},
                                                   {"--sites", &options.selection.sites},
                                                   {"--everything", &options.selection.everything},
                                                   {"--force", &options.force},
                                                   {"--quiet", &options.quiet},
                                                   {"--follow", &options.follow}};
  for (const auto &[name, flag] : flags)
    if (argument == name) {
      *flag = true;
      return true;
    }
  const std::pair<const char *, std::string *> texts[] = {
      {"--output", &options.output},     {"--tool", &options.tool},
      {"--launcher", &options.launcher}, {"--preload", &options.preload},
      {"--version", &options.version},   {"--machine", &options.machine}};
  for (const auto &[name, text] : texts)
    if (const char *value = value_of(argument, name)) {
      *text = value;
      return true;
    }
  if (const char *tool_option = value_of(argument, "--tool-option"))
    options.tool_options.emplace_back(tool_option);
  else if (const char *recorder = value_of(argument, "--recorder"))
    options.recorder = recorder_called(recorder);
  else
    return false;
  return true;
}

} // namespace

Part part_of(const Options &options) {
  Part part;
  for (const std::string &option : options.tool_options) {
    if (option == "--wait=yes") part.after_mark = true;
    if (const char *window = value_of(option, "--window")) {
      char *rest = nullptr;
      part.window_part = std::strtoull(window, &rest, 10);
      part.window_whole = *rest == '/' ? std::strtoull(rest + 1, nullptr, 10) : 0;
    }
  }
  return part;
}

const char *name_of(Recorder recorder) {
  static constexpr const char *kNames[] = {"valgrind", "light", "compiled"};
  return kNames[static_cast<size_t>(recorder)];
}

Options read_options(const std::vector<std::string> &arguments) {
  Options options;
  size_t i = 0;
  for (; i < arguments.size() && arguments[i] != "--"; ++i)
    if (!take(options, arguments[i]))
      throw std::invalid_argument(arguments[i] + ": no such option");
  for (++i; i < arguments.size(); ++i) options.program.push_back(arguments[i]);
  const bool is_tool = options.recorder == Recorder::valgrind;
  if (options.output.empty() || options.program.empty() ||
      (is_tool && (options.tool.empty() || options.launcher.empty())))
    throw std::invalid_argument(
        "usage: abut-collect --output=FILE --tool=FOLDER --launcher=FILE -- PROGRAM");
  return options;
}

} // namespace abut::record
