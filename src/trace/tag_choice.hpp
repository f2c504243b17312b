// Which tags a chunk gets: the combinations that are frequent have one of their own; the others share tags that
// leave something to a column.
#pragma once

#include "trace/combinations.hpp"
#include "trace/tags.hpp"

#include <cstdint>
#include <vector>

namespace abut::trace {

class TagChoice {
public:
  // `all[0]` stands for nothing.
  TagChoice(const std::vector<Combination> &all, const std::vector<uint32_t> &chosen);

  const std::vector<Tag> &tags() const { return tags_; }
  uint8_t tag_of(uint32_t combination) const { return static_cast<uint8_t>(tag_of_[combination]); }

private:
  using General = Tag (*)(const Combination &);

  void share(General general, size_t most);

  const std::vector<Combination> &all_;
  std::vector<uint32_t> uses_;
  std::vector<uint16_t> tag_of_;
  std::vector<uint32_t> without_; // combinations that have no tag yet
  std::vector<Tag> tags_;
};

} // namespace abut::trace
