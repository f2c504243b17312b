#include "trace/imports/lines.hpp"

#include <cerrno>
#include <cstring>

namespace abut::imports {

Lines::Lines(const std::string &path) : file_(path == "-" ? "/dev/stdin" : path) {
  if (!file_) failure_ = std::strerror(errno);
}

std::optional<std::string_view> Lines::next() {
  if (!failure_.empty() || file_.eof()) return std::nullopt;
  errno = 0;
  file_.getline(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  const auto count = static_cast<size_t>(file_.gcount());
  if (file_.bad()) {
    failure_ = std::strerror(errno);
    return std::nullopt;
  }
  if (file_.eof() && count == 0) return std::nullopt;
  ++number_;
  if (file_.fail()) {
    failure_ = "it is longer than 64 KiB";
    return std::nullopt;
  }
  return std::string_view(buffer_.data(), file_.eof() ? count : count - 1);
}

} // namespace abut::imports
