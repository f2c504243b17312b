#include "layout/relations.hpp"

#include "trace/batches.hpp"
#include "trace/rows.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace abut::place {
namespace {

using trace::Event;
using trace::EventKind;

uint32_t narrowed(uint64_t value) {
  return static_cast<uint32_t>(std::min<uint64_t>(value, std::numeric_limits<uint32_t>::max()));
}

// The objects that one thread accessed last, each once in a row.
struct Recent {
  static constexpr uint32_t kNone = UINT32_MAX;

  uint32_t last = kNone;
  uint32_t arrived = kNone;
  std::vector<uint32_t> contexts; // a ring
  size_t next = 0;
};

class Gatherer {
public:
  explicit Gatherer(const ReadOptions &options)
      : options_(options), usage_(options.most_edges), arrivals_(options.most_edges) {}

  void take(const Event &event) {
    switch (event.kind) {
    case EventKind::allocate: return record_birth(event);
    case EventKind::free:
      if (known(event.object)) table_.died[event.object - 1] = narrowed(table_.count());
      return;
    case EventKind::resize:
    case EventKind::move:
      if (known(event.object)) {
        uint32_t &most = table_.most[event.object - 1];
        most = std::max(most, narrowed(event.size));
      }
      return;
    case EventKind::near:
      if (known(event.object) && known(event.detail) && event.object != event.detail)
        friends_.add(narrowed(event.detail - 1), narrowed(event.object - 1));
      return;
    case EventKind::touch:
      if (known(event.object)) use(event.object, event.thread, std::max<uint64_t>(event.detail, 1));
      return;
    default: return;
    }
  }

  void take(uint64_t object, uint8_t kind, uint32_t thread) {
    if ((kind & trace::kAllocator) == 0 && known(object)) use(object, thread, 1);
  }

  Relations finish() {
    table_.friends = friends_.take();
    table_.forgotten = usage_.forgotten() + arrivals_.forgotten();
    table_.usage = usage_.take();
    table_.arrivals = arrivals_.take();
    table_.contexts = contexts_.take();
    return std::move(table_);
  }

private:
  bool known(uint64_t object) const { return object - 1 < table_.count(); }

  void record_birth(const Event &event) {
    if (event.object > table_.count()) {
      if (event.object - table_.count() > trace::kMostLostBirths || event.object >= UINT32_MAX)
        return;
      const auto to = [&event](auto &column) { column.resize(event.object, 0); };
      to(table_.size), to(table_.most), to(table_.align), to(table_.context), to(table_.thread);
      to(table_.heat), to(table_.address);
      to(used_at_);
      table_.died.resize(event.object, Relations::kNever);
    }
    if (!known(event.object)) return;
    const size_t row = event.object - 1;
    table_.size[row] = table_.most[row] = narrowed(std::max<uint64_t>(event.size, 1));
    table_.align[row] = narrowed(event.detail);
    table_.context[row] = number_of(event.context);
    table_.thread[row] = event.thread;
    table_.address[row] = event.address;
  }

  void use(uint64_t object, uint32_t thread, uint64_t weight) {
    const auto row = static_cast<uint32_t>(object - 1);
    table_.heat[row] += weight;
    if (thread != running_thread_ || running_ == nullptr) {
      running_thread_ = thread;
      running_ = &recent(thread);
    }
    if (running_->last == row) return;
    if (running_->last != Recent::kNone) usage_.add(running_->last, row, narrowed(weight));
    running_->last = row;
    relate(table_.context[row]);
    arrive(row, weight);
  }

  void arrive(uint32_t row, uint64_t weight) {
    uint32_t &used_at = used_at_[row];
    const bool is_in_use = used_at != 0 && now_ - used_at < kInUse;
    if (!is_in_use) {
      ++now_;
      if (running_->arrived != Recent::kNone)
        arrivals_.add(running_->arrived, row, narrowed(weight));
      running_->arrived = row;
    }
    used_at = now_;
  }

  uint32_t number_of(uint32_t context) const {
    if (options_.context_numbers.empty()) return context;
    return context < options_.context_numbers.size() ? options_.context_numbers[context] : 0;
  }

  // The piece of code that allocated what is used now belongs to those of what was used just before.
  void relate(uint32_t context) {
    if (options_.window == 0 || context == 0) return;
    Recent &recent = *running_;
    for (const uint32_t other : recent.contexts)
      if (other != context) contexts_.add(std::min(other, context), std::max(other, context));
    if (recent.contexts.size() < options_.window)
      recent.contexts.push_back(context);
    else
      recent.contexts[recent.next++ % options_.window] = context;
  }

  Recent &recent(uint32_t thread) {
    if (thread >= kMostThreads) thread = 0;
    if (thread >= threads_.size()) threads_.resize(thread + 1);
    return threads_[thread];
  }

  static constexpr uint32_t kMostThreads = 1 << 16;

  ReadOptions options_;
  Relations table_;
  EdgeCounter friends_, usage_, arrivals_, contexts_;
  std::vector<uint32_t> used_at_; // by row: what `now_` was then; 0: never
  uint32_t now_ = 0;              // how many objects have come into use, of all threads
  std::vector<Recent> threads_;
  Recent *running_ = nullptr;
  uint32_t running_thread_ = 0;
};

void read_all(trace::Reader &reader, size_t from, size_t to, Gatherer &gatherer) {
  for (trace::Batches batches(reader, from, to); batches.next();)
    batches.in_order(
        [&](uint32_t begin, uint32_t end) {
          for (uint32_t i = begin; i < end; ++i)
            gatherer.take(batches.objects()[i], batches.kinds()[i], batches.threads()[i]);
        },
        [&](const Event &event) { gatherer.take(event); });
}

} // namespace

Relations read_relations(trace::Reader &reader, const ReadOptions &options) {
  Gatherer gatherer(options);
  const size_t chunks = reader.chunks().size();
  auto windows = options.windows;
  if (!options.accesses)
    windows.clear();
  else if (windows.empty())
    windows.emplace_back(0, chunks);
  const auto take = [&](const Event &event) { gatherer.take(event); };
  size_t done = 0;
  for (auto [from, to] : windows) {
    from = std::clamp(from, done, chunks);
    to = std::clamp(to, from, chunks);
    reader.each_event(done, from, take);
    read_all(reader, from, to, gatherer);
    done = to;
  }
  reader.each_event(done, chunks, take);
  return gatherer.finish();
}

} // namespace abut::place
