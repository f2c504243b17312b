// Serves the processes that are recorded, each in a thread of its own.
#pragma once

#include "collect/channel.hpp"
#include "collect/options.hpp"
#include "collect/rings/word_store.hpp"
#include "collect/session/fork_snapshots.hpp"
#include "trace/writer.hpp"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <future>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <sys/types.h>
#include <thread>
#include <vector>

namespace abut::record {

// What became of one trace.
struct Outcome {
  std::string path;
  trace::Totals totals;
  uint64_t bytes = 0;
  uint64_t missed_frees = 0;
  uint64_t dropped = 0;  // records that found no room
  bool waited = false;   // the program did, wherever there was none
  bool replaced = false; // the program called exec
  std::string problem;   // why the trace is not whole; empty where it is
};

class RingDrain;
class RingReader;
class RingSource;

class Collector {
public:
  // Opens the first trace, so that what hinders it shows before the program runs. Throws trace::Error,
  // std::system_error.
  Collector(const Options &options, const std::string &socket, pid_t program);
  ~Collector();

  static std::string new_socket_name();
  void start();
  // The first process has ended so. Waits for all that are connected.
  std::vector<Outcome> finish(int status);

private:
  struct Visit; // of one process

  void accept_all();
  void begin_visit(Descriptor connection);
  void join_done();
  bool turn_one_away();
  void warn_of_refusal(const char *why);
  void serve(Descriptor connection);
  std::optional<trace::Writer> open_writer(uint32_t session,
                                           const std::vector<std::string> &command, int pid,
                                           std::string &path);
  std::string path_of(uint32_t session) const;
  void pump(Channel &channel, Visit &visit);
  bool admit_rings(Visit &visit, pid_t process);
  void pump_rings(Channel &channel, Visit &visit);
  void drain_rings(const Visit &visit, const RingSource &source, RingDrain &drain, bool waits);
  bool read_rings(Visit &visit, RingDrain &drain, RingReader &rings, bool waits,
                  const std::atomic<bool> &failed);
  bool read_slot(Channel &channel, Visit &visit, const abut_raw_message &message);
  template <typename Read>
  bool read_safely(Visit &visit, Read read);
  bool begin_session(Visit &visit, const std::vector<std::string> &command);
  void end(Visit &visit);
  void finish_unused(int status);
  void warn(const Visit &visit);

  const Options &options_;
  Descriptor listener_;
  std::thread acceptor_;
  ForkSnapshots fork_snapshots_;
  std::promise<int> status_promise_;
  std::shared_future<int> status_;
  std::optional<trace::Writer> first_writer_;
  const std::shared_ptr<SlabPool> slabs_ = std::make_shared<SlabPool>();

  std::atomic<unsigned> running_{0}; // processes whose rings are emptied

  std::mutex mutex_;
  std::condition_variable idle_;
  struct Visitor {
    std::thread thread;
    bool done = false;
  };
  std::list<Visitor> visitors_;
  Descriptor spare_; // given up for a connection that there is no descriptor for
  bool has_refused_ = false;
  unsigned visiting_ = 0;
  uint32_t sessions_ = 0;
  std::map<pid_t, std::shared_ptr<std::atomic<bool>>> replaced_; // set where a process begins again
  std::vector<Outcome> outcomes_;
};

} // namespace abut::record
