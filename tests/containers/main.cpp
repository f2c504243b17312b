// The fuzzer's target without a fuzzer: random bytes from a seed. usage: containers_model SEED RUNS
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);

int main(int argc, char **argv) {
  std::mt19937 random(argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 1);
  for (int left = argc > 2 ? std::atoi(argv[2]) : 100; left > 0; --left) {
    std::vector<std::uint8_t> bytes(random() % 4000);
    for (auto &byte : bytes) byte = static_cast<std::uint8_t>(random());
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  }
  return 0;
}
