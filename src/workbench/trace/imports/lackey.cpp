#include "trace/imports/formats.hpp"
#include "trace/imports/words.hpp"

namespace abut::imports {

Complaint read_lackey_line(std::string_view line, Sink &sink) {
  Words words(line);
  if (words.take("==") || words.take("--")) return nullptr;
  const std::string_view kind = words.word();
  if (kind.empty()) return nullptr;
  if (kind.size() != 1 || std::string_view("ILSM").find(kind[0]) == std::string_view::npos)
    return "it is neither I, L, S nor M, nor valgrind's own words";
  words.skip_blanks();
  const auto address = words.hexadecimal();
  if (!address || !words.take(",")) return "it has no address, a hexadecimal number and a comma";
  const auto size = words.decimal();
  words.skip_blanks();
  if (!size || !words.at_end()) return "it does not end with a size";
  if (*size > kMostAccessBytes) return "its size is over 1 MiB";
  if (kind == "I") {
    sink.fetch(0, *address);
    return nullptr;
  }
  const auto bytes = static_cast<uint32_t>(*size);
  if (kind != "S") sink.access({*address, bytes, false, 0, 0});
  if (kind != "L") sink.access({*address, bytes, true, 0, 0});
  return nullptr;
}

} // namespace abut::imports
