#include "collect/collector.hpp"

#include "collect/visit.hpp"
#include "probes/ring/layout.hpp"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <poll.h>
#include <random>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace abut::record {

namespace {

// How long to wait for a process that may be on its way when all others have ended.
constexpr int kFullWait = 20;                       // milliseconds
constexpr auto kPatience = std::chrono::seconds(2); // before the user hears what goes on
constexpr auto kLatecomer = std::chrono::milliseconds(150);
uint64_t now_since_1970() {
  using namespace std::chrono;
  return static_cast<uint64_t>(
      duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count());
}

// The words of a program event, if that is what a stream begins with.
std::vector<std::string> command_in(std::span<const uint64_t> words) {
  std::vector<std::string> command;
  if (words.empty() || (words[0] & ABUT_RAW_EVENT_BIT) == 0 ||
      abut_raw_kind(words[0]) != ABUT_RAW_PROGRAM || abut_raw_count(words[0]) >= words.size() ||
      abut_raw_small(words[0]) > abut_raw_count(words[0]) * sizeof(uint64_t))
    return command;
  const char *text = reinterpret_cast<const char *>(words.data() + 1);
  const char *end = text + abut_raw_small(words[0]);
  while (text < end) {
    command.emplace_back(text, strnlen(text, static_cast<size_t>(end - text)));
    text += command.back().size() + 1;
  }
  return command;
}

// The file that the program reads as its standard input, if it is one: this process hands its own on.
std::string standard_input() {
  constexpr const char *kOurs = "/proc/self/fd/0";
  std::error_code error;
  if (!std::filesystem::is_regular_file(kOurs, error)) return "";
  return std::filesystem::read_symlink(kOurs, error).string();
}

} // namespace

Collector::Collector(const Options &options, const std::string &socket, pid_t program)
    : options_(options), listener_(listen_at(socket)), status_(status_promise_.get_future()),
      spare_(open("/dev/null", O_RDONLY | O_CLOEXEC)) {
  std::string path;
  first_writer_ = open_writer(1, options_.program, program, path);
}

std::string Collector::new_socket_name() {
  std::random_device device;
  char text[40];
  std::snprintf(text, sizeof text, "abut-%d-%08x%08x", getpid(), device(), device());
  return text;
}

Collector::~Collector() {
  if (acceptor_.joinable()) finish(0);
}

void Collector::start() { acceptor_ = std::thread(&Collector::accept_all, this); }

std::string Collector::path_of(uint32_t session) const {
  if (session == 1) return options_.output;
  return options_.output + "." + std::to_string(session);
}

// Throws trace::Error.
std::optional<trace::Writer> Collector::open_writer(uint32_t session,
                                                    const std::vector<std::string> &command,
                                                    int pid, std::string &path) {
  path = path_of(session);
  trace::Header header;
  header.command = command;
  header.recorder = name_of(options_.recorder);
  header.machine = options_.machine;
  header.started = now_since_1970();
  header.process = static_cast<uint64_t>(pid);
  header.notes.emplace_back("abut", options_.version);
  if (!options_.preload.empty()) header.notes.emplace_back("preload", options_.preload);
  for (const std::string &option : options_.tool_options)
    header.notes.emplace_back("option", option);
  if (const std::string input = standard_input(); session == 1 && !input.empty())
    header.notes.emplace_back("stdin", input);
  trace::WriterOptions how;
  how.overwrite = options_.force ? trace::Overwrite::yes : trace::Overwrite::never;
  how.codes = options_.selection.sites;
  auto writer = trace::Writer::open(path, header, how);
  if (!writer) throw writer.error();
  return writer.take();
}

// ---- connections ----

void Collector::accept_all() {
  for (;;) {
    errno = 0;
    Descriptor connection = accept_own(listener_);
    if (!connection.is_open() && (errno == EMFILE || errno == ENFILE)) {
      if (!turn_one_away()) return;
      continue;
    }
    const std::lock_guard lock(mutex_);
    join_done();
    if (!listener_.is_open()) return;
    if (connection.is_open())
      begin_visit(std::move(connection));
    else if (status_.wait_for(std::chrono::seconds(0)) == std::future_status::ready)
      return;
  }
}

// Where there is no descriptor for another connection: who waits for an answer sees the connection end, and is not recorded.
// False where none are to come any more.
bool Collector::turn_one_away() {
  spare_ = Descriptor();
  pollfd look{listener_.get(), POLLIN, 0};
  const bool is_called = poll(&look, 1, kFullWait) > 0;
  errno = 0;
  const Descriptor refused = is_called ? accept_own(listener_) : Descriptor();
  const bool is_over = errno == EINVAL;
  if (refused.is_open()) warn_of_refusal("too many open files (ulimit -n)");
  spare_ = Descriptor(open("/dev/null", O_RDONLY | O_CLOEXEC));
  return !is_over;
}

void Collector::warn_of_refusal(const char *why) {
  if (!std::exchange(has_refused_, true))
    std::fprintf(stderr, "abut: %s: not all processes are recorded\n", why);
}

void Collector::begin_visit(Descriptor connection) {
  Visitor &visitor = visitors_.emplace_back();
  ++visiting_;
  try {
    visitor.thread =
        std::thread([this, &visitor, held = std::make_shared<Descriptor>(std::move(connection))] {
          serve(std::move(*held));
          const std::lock_guard done(mutex_);
          visitor.done = true;
          --visiting_;
          idle_.notify_all();
        });
  } catch (const std::system_error &error) {
    --visiting_;
    visitors_.pop_back();
    warn_of_refusal(error.what());
  }
}

void Collector::join_done() {
  for (Visitor &visitor : visitors_)
    if (visitor.done) visitor.thread.join();
  visitors_.remove_if([](const Visitor &visitor) { return visitor.done; });
}

void Collector::serve(Descriptor connection) {
  Channel channel(std::move(connection));
  const auto hello = channel.receive_hello();
  if (!hello) return;
  Visit visit;
  visit.hello = *hello;
  visit.begin = read_clock();
  const bool has_rings = hello->version == ring::kVersion;
  if (has_rings && !admit_rings(visit, channel.peer())) return channel.refuse();
  if (!has_rings) {
    const std::lock_guard lock(mutex_);
    visit.session = ++sessions_;
  }
  try {
    if (has_rings) {
      pump_rings(channel, visit);
    } else {
      channel.welcome(visit.session);
      pump(channel, visit);
    }
  } catch (const std::exception &error) {
    visit.outcome.path = path_of(visit.session);
    visit.outcome.problem = error.what();
    channel.refuse();
    warn(visit);
  }
  end(visit);
}

void Collector::pump(Channel &channel, Visit &visit) {
  bool is_reading = true;
  while (const auto message = channel.receive()) {
    visit.outcome.replaced = message->kind == ABUT_RAW_EXEC;
    if (message->kind == ABUT_RAW_ENDED) visit.exit_code = static_cast<int>(message->words);
    if (message->kind != ABUT_RAW_FILLED) continue;
    if (is_reading && !read_slot(channel, visit, *message)) {
      is_reading = false;
      warn(visit);
      channel.stop();
    }
    channel.give_back(message->slot);
  }
}

bool Collector::read_slot(Channel &channel, Visit &visit, const abut_raw_message &message) {
  return read_safely(visit, [&] {
    const auto words = channel.slot(message);
    if (!words) throw BadStream{"a slot that there is not"};
    if (!visit.reader && !begin_session(visit, command_in(*words))) return false;
    visit.reader->read(*words);
    return true;
  });
}

bool Collector::begin_session(Visit &visit, const std::vector<std::string> &command) {
  std::optional<trace::Writer> writer;
  visit.outcome.path = path_of(visit.session);
  try {
    if (visit.session == 1)
      writer = std::exchange(first_writer_, std::nullopt);
    else
      writer = open_writer(visit.session, command, visit.hello.pid, visit.outcome.path);
  } catch (const trace::Error &error) {
    visit.outcome.problem = error.what + ": " + error.why;
    return false;
  }
  visit.reader.emplace(std::move(*writer), options_.selection, visit.begin, [&](uint32_t fork) {
    fork_snapshots_.put(visit.session, fork, visit.reader->snapshot());
  });
  if (visit.hello.parent_session != 0)
    visit.reader->restore(
        fork_snapshots_.take(visit.hello.parent_session, visit.hello.fork_number));
  return true;
}

void Collector::end(Visit &visit) {
  fork_snapshots_.close(visit.session);
  if (visit.reader) {
    int status = visit.exit_code.value_or(0) << 8;
    if (visit.session == 1 && !visit.outcome.replaced) status = status_.get();
    trace::Writer &writer = visit.reader->writer();
    const auto error = writer.finish(status, read_clock().nanoseconds - visit.begin.nanoseconds);
    if (error && visit.outcome.problem.empty())
      visit.outcome.problem = error->what + ": " + error->why;
    visit.outcome.totals = writer.totals();
    visit.outcome.bytes = writer.bytes_written();
    visit.outcome.missed_frees = visit.reader->missed_frees();
  }
  const std::lock_guard lock(mutex_);
  outcomes_.push_back(visit.outcome);
}

void Collector::warn(const Visit &visit) {
  std::fprintf(stderr, "abut: %s; the program goes on, and is not recorded any more\n",
               visit.outcome.problem.c_str());
}

// ---- the end ----

// The program never said a word: it did not start, or was killed at once.
void Collector::finish_unused(int status) {
  first_writer_->finish(status);
  first_writer_.reset();
  for (const Outcome &outcome : outcomes_)
    if (!outcome.problem.empty()) return; // that is why
  Outcome outcome;
  outcome.path = options_.output;
  outcome.problem = "the program ended before there was anything to record";
  outcomes_.push_back(outcome);
}

std::vector<Outcome> Collector::finish(int status) {
  status_promise_.set_value(status);
  std::unique_lock lock(mutex_);
  const auto is_idle = [this] { return visiting_ == 0; };
  if (!idle_.wait_for(lock, kPatience, is_idle) && !options_.quiet)
    std::fprintf(stderr, "abut: waits for what the program left running; ^C ends the recording\n");
  do idle_.wait(lock, is_idle);
  while (options_.follow && idle_.wait_for(lock, kLatecomer, [this] { return visiting_ != 0; }));
  shutdown(listener_.get(), SHUT_RDWR);
  lock.unlock();
  acceptor_.join();
  for (Visitor &visitor : visitors_) visitor.thread.join();
  if (first_writer_) finish_unused(status);
  return outcomes_;
}

} // namespace abut::record
