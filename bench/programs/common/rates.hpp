// How many of something a second: the median of some rounds, and from where to where they reach.
#pragma once

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace bench {

class Rates {
public:
  void add(double count, double seconds) { millions_.push_back(count / seconds / 1e6); }

  // "75.4 M references/s (71.2 to 76.0 in 5 rounds)", of at least one round.
  std::string text(const char *what) const {
    std::vector<double> sorted(millions_);
    std::sort(sorted.begin(), sorted.end());
    char text[128]; // NOLINT(modernize-avoid-c-arrays): what snprintf takes
    std::snprintf(text, sizeof text, "%.1f M %s/s (%.1f to %.1f in %zu rounds)",
                  sorted[sorted.size() / 2], what, sorted.front(), sorted.back(), sorted.size());
    return text;
  }

private:
  std::vector<double> millions_;
};

} // namespace bench
