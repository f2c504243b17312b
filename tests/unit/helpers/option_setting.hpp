// Sets a numeric option for as long as it lives.
#pragma once

#include "base/options.hpp"

#include <cstdlib>
#include <string>

namespace abut::test {

class OptionSetting {
public:
  OptionSetting(Option option, int64_t value) : option_(option), before_(option_value(option)) {
    set(value);
  }
  ~OptionSetting() { set(before_); }
  OptionSetting(const OptionSetting &) = delete;
  OptionSetting &operator=(const OptionSetting &) = delete;

  void set(int64_t value) {
    const std::string name = option_info(option_).name;
    const std::string text = std::to_string(value);
    if (set_option(name.data(), name.size(), text.c_str()) != SetOption::done) std::abort();
  }

private:
  Option option_;
  int64_t before_;
};

} // namespace abut::test
