#include "record/options.hpp"

#include <cstddef>
#include <stdexcept>

namespace abut::record {

namespace {

// The value of `argument` where it begins with `name`; else null.
const char *value_of(const std::string &argument, const char *name) {
  const std::string begin = std::string(name) + "=";
  return argument.compare(0, begin.size(), begin) == 0 ? argument.c_str() + begin.size() : nullptr;
}

bool take(Options &options, const std::string &argument) {
  if (const char *output = value_of(argument, "--output"))
    options.output = output;
  else if (const char *tool = value_of(argument, "--tool"))
    options.tool = tool;
  else if (const char *launcher = value_of(argument, "--launcher"))
    options.launcher = launcher;
  else if (const char *preload = value_of(argument, "--preload"))
    options.preload = preload;
  else if (const char *version = value_of(argument, "--version"))
    options.version = version;
  else if (const char *machine = value_of(argument, "--machine"))
    options.machine = machine;
  else if (const char *tool_option = value_of(argument, "--tool-option"))
    options.tool_options.emplace_back(tool_option);
  else if (argument == "--sites")
    options.wanted.sites = true;
  else if (argument == "--everything")
    options.wanted.everything = true;
  else if (argument == "--force")
    options.force = true;
  else if (argument == "--quiet")
    options.quiet = true;
  else if (argument == "--follow")
    options.follow = true;
  else
    return false;
  return true;
}

} // namespace

Options read_options(const std::vector<std::string> &arguments) {
  Options options;
  size_t i = 0;
  for (; i < arguments.size() && arguments[i] != "--"; ++i)
    if (!take(options, arguments[i]))
      throw std::invalid_argument(arguments[i] + ": no such option");
  for (++i; i < arguments.size(); ++i) options.program.push_back(arguments[i]);
  if (options.output.empty() || options.tool.empty() || options.launcher.empty() ||
      options.program.empty())
    throw std::invalid_argument(
        "usage: abut-collect --output=FILE --tool=FOLDER --launcher=FILE -- PROGRAM");
  return options;
}

} // namespace abut::record
