#include "fuzz/crew.hpp"

#include <algorithm>
#include <array>

namespace fuzz {

Crew::Crew(std::size_t threads) : workers_(threads - 1) {
  for (Worker &worker : workers_) worker.thread = std::thread([this, &worker] { work(worker); });
}

Crew::~Crew() {
  dismissed_ = true;
  for (Worker &worker : workers_) {
    worker.called.release();
    worker.thread.join();
  }
}

void Crew::work(Worker &self) {
  for (self.called.acquire(); !dismissed_; self.called.acquire()) {
    model_.perform(current_);
    finished_.release();
  }
}

void Crew::perform(std::span<const std::uint8_t> bytes) {
  for (; bytes.size() >= kOperationBytes; bytes = bytes.subspan(kOperationBytes)) {
    std::array<std::uint8_t, kOperationBytes> spelled{};
    std::copy_n(bytes.begin(), kOperationBytes, spelled.begin());
    current_ = Operation::decode(spelled);
    const std::size_t who = current_.thread % (workers_.size() + 1);
    if (who == 0) {
      model_.perform(current_);
      continue;
    }
    workers_[who - 1].called.release();
    finished_.acquire();
  }
}

} // namespace fuzz
