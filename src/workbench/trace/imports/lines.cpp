#include "trace/imports/lines.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace abut::imports {

Lines::Lines(const std::string &path)
    : file_(path == "-" ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC)),
      is_ours_(path != "-") {
  if (file_ < 0) failure_ = std::strerror(errno);
}

Lines::~Lines() {
  if (is_ours_ && file_ >= 0) close(file_);
}

std::optional<std::string_view> Lines::next() {
  if (!failure_.empty()) return std::nullopt;
  for (size_t searched = begin_;;) {
    const auto *found =
        static_cast<const char *>(std::memchr(buffer_.data() + searched, '\n', end_ - searched));
    const size_t length =
        (found != nullptr ? static_cast<size_t>(found - buffer_.data()) : end_) - begin_;
    if (length > kMostBytes) {
      ++number_;
      failure_ = "it is longer than 64 KiB";
      return std::nullopt;
    }
    if (found != nullptr || (at_end_ && length != 0)) {
      const std::string_view line(buffer_.data() + begin_, length);
      begin_ += length + (found != nullptr ? 1 : 0);
      ++number_;
      return line;
    }
    if (at_end_ || !fill()) return std::nullopt;
    searched = begin_ + length;
  }
}

// More text behind what is left, which moves to the front. Both fit: what is left is less than a line.
bool Lines::fill() {
  std::copy(buffer_.begin() + static_cast<ptrdiff_t>(begin_),
            buffer_.begin() + static_cast<ptrdiff_t>(end_), buffer_.begin());
  end_ -= begin_;
  begin_ = 0;
  ssize_t count = 0;
  do count = read(file_, buffer_.data() + end_, buffer_.size() - end_);
  while (count < 0 && errno == EINTR);
  if (count < 0) {
    failure_ = std::strerror(errno);
    return false;
  }
  at_end_ = count == 0;
  end_ += static_cast<size_t>(count);
  return true;
}

} // namespace abut::imports
