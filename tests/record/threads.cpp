// Four threads, one after another and all at once, that allocate; each frees what another one allocated.
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

static void *blocks[4][500];

static void allocate(int row) {
  for (void *&block : blocks[row]) block = std::memset(std::malloc(48), row, 48);
}

static void release(int row) {
  for (void *block : blocks[row]) std::free(block);
}

template <typename Work>
static void in_four(Work work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(work, i);
  for (std::thread &thread : threads) thread.join();
}

int main() {
  in_four(allocate);
  in_four([](int row) { release((row + 1) % 4); });
}
