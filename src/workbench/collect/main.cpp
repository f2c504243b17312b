// abut-collect: runs a program under the recorder, and writes what it does with its heap into a trace.
#include "collect/child.hpp"
#include "collect/collector.hpp"
#include "collect/options.hpp"
#include "collect/shell_word.hpp"
#include "probes/ring/layout.hpp"

#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/wait.h>

using namespace abut;
using namespace abut::record;

namespace {

constexpr int kRunFailed = 125;

// What Valgrind's core has to say goes into files, and not between the program's output.
class LogFolder {
public:
  LogFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "abut-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder for temporary files");
    path_ = name;
  }
  LogFolder(const LogFolder &) = delete;
  LogFolder &operator=(const LogFolder &) = delete;
  ~LogFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path &path() const { return path_; }
  // All of them, or those of processes that Valgrind itself gave up.
  void print(bool all) const {
    for (const auto &entry : std::filesystem::directory_iterator(path_)) {
      std::ostringstream text;
      text << '\n' << std::ifstream(entry.path()).rdbuf();
      const bool gave_up = text.str().find("\nvalgrind: ") != std::string::npos ||
                           text.str().find("Valgrind's memory management: ") != std::string::npos;
      if (all || gave_up) std::cerr << text.str().substr(1);
    }
  }

private:
  std::filesystem::path path_;
};

// The tool itself is started, and not Valgrind's launcher: Debian's sets variables that programs would see. Registers are
// as after each instruction, since the core removes loads whose values nothing uses. Each thread that there may be at a time
// takes 7 KiB from the begin of the program on.
std::vector<std::string> command_of(const Options &options, const std::string &socket,
                                    const std::filesystem::path &logs) {
  std::vector<std::string> command = {
      options.tool + "/abut-amd64-linux",
      "-q",
      "--tool=abut",
      "--vgdb=no",
      "--num-callers=18",
      "--max-threads=4000",
      "--vex-iropt-register-updates=allregs-at-each-insn",
      "--child-silent-after-fork=yes",
      std::string("--trace-children=") + (options.follow ? "yes" : "no"),
      std::string("--follow=") + (options.follow ? "yes" : "no"),
      std::string("--everything=") + (options.selection.everything ? "yes" : "no"),
      "--log-file=" + (logs / "%p").string(),
      "--socket=" + socket};
  command.insert(command.end(), options.tool_options.begin(), options.tool_options.end());
  command.push_back("--");
  command.insert(command.end(), options.program.begin(), options.program.end());
  return command;
}

void print_outcome(const Outcome &outcome) {
  const trace::Totals &totals = outcome.totals;
  std::fprintf(stderr, "abut: %s: %" PRIu64 " accesses, %" PRIu64 " objects, %" PRIu64 " bytes\n",
               outcome.path.c_str(), totals.accesses, totals.objects, outcome.bytes);
  if (!outcome.problem.empty())
    std::fprintf(stderr, "abut: %s is not whole: %s\n", outcome.path.c_str(),
                 outcome.problem.c_str());
  if (totals.unmatched_frees + outcome.missed_frees > 0)
    std::fprintf(stderr,
                 "abut: %s: %" PRIu64 " frees of what was no block, %" PRIu64
                 " blocks whose end was not seen\n",
                 outcome.path.c_str(), totals.unmatched_frees, outcome.missed_frees);
  if (outcome.dropped > 0)
    std::fprintf(stderr, "abut: %s: %" PRIu64 " records dropped, %s\n", outcome.path.c_str(),
                 outcome.dropped,
                 outcome.waited ? "of more than 512 threads at a time, or of signal handlers"
                                : "which came faster than they could be written\n"
                                  "  fix: --lossless makes the program wait");
  if (outcome.replaced)
    std::fprintf(stderr, "abut: %s ends where the program became another one (exec)\n",
                 outcome.path.c_str());
}

bool is_whole(const std::vector<Outcome> &outcomes) {
  for (const Outcome &outcome : outcomes)
    if (!outcome.problem.empty()) return false;
  return true;
}

int run(const Options &options) {
  const LogFolder logs;
  const std::string socket = Collector::new_socket_name();
  const bool is_tool = options.recorder == Recorder::valgrind;
  Child::Variables variables = {{ring::kSocketVariable, socket}};
  if (is_tool)
    variables = {{"VALGRIND_LIB", options.tool}, {"VALGRIND_LAUNCHER", options.launcher}};
  if (!options.preload.empty()) variables.emplace_back("LD_PRELOAD", options.preload);
  Child child(is_tool ? command_of(options, socket, logs.path()) : options.program, variables);
  // Each process that is followed takes some descriptors. The program has its own limit.
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
  // A limit to files' sizes is an error like others for the collector.
  std::signal(SIGXFSZ, SIG_IGN);
  Collector collector(options, socket, child.pid());
  collector.start();
  child.start();
  const int status = child.wait();
  const auto outcomes = collector.finish(status);
  logs.print(!is_whole(outcomes));
  if (!options.quiet) {
    for (const Outcome &outcome : outcomes) print_outcome(outcome);
    std::fprintf(stderr, "next: abut trace info %s\n", shell_word(options.output).c_str());
  }
  return status;
}

} // namespace

int main(int count, char **arguments) {
  int status = 0;
  try {
    status = run(read_options({arguments + 1, arguments + count}));
  } catch (const trace::Error &error) {
    std::fprintf(stderr, "abut: %s: %s\n  fix: %s\n", error.what.c_str(), error.why.c_str(),
                 error.fix.c_str());
    return kRunFailed;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "abut: %s\n", error.what());
    return kRunFailed;
  }
  end_like(status);
}
