// The addresses that look-ups and walks come to, in order, as numbers of 64 bits in a file: for simulated caches.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

class Visits {
public:
  void add(const void *address) { addresses_.push_back(reinterpret_cast<std::uintptr_t>(address)); }
  // False if the file cannot be written.
  bool write(std::string_view path) const {
    std::FILE *file = std::fopen(std::string(path).c_str(), "wb");
    if (file == nullptr) return false;
    const std::size_t written =
        std::fwrite(addresses_.data(), sizeof(addresses_[0]), addresses_.size(), file);
    return std::fclose(file) == 0 && written == addresses_.size();
  }

private:
  std::vector<std::uint64_t> addresses_;
};

} // namespace bench
