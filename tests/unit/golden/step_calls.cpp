// Runs a program under a preloaded library and writes down every instruction of the calls that it stops before.
//
//   step_calls LIBRARY PROGRAM      prints, for each call:   call <name>
//                                   and then one line each:  in <offset in the library>  or  out <address>
//
// The kernel runs one instruction at a time and stops (ptrace). x86-64 Linux only. Exit code 77: the kernel does
// not let this process do that.
#include <array>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

constexpr int kNotAllowed = 77;
constexpr int kLongestCall = 100000;

[[noreturn]] void fail(const std::string &reason) {
  std::fprintf(stderr, "step_calls: %s\n", reason.c_str());
  std::exit(2);
}

[[noreturn]] void be_the_program(const char *library, char *program) {
  setenv("LD_PRELOAD", library, 1);
  if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(kNotAllowed);
  const std::array<char *, 2> arguments{program, nullptr};
  execv(program, arguments.data());
  _exit(2);
}

// The addresses at which a file is mapped.
struct Mapped {
  uint64_t begin = UINT64_MAX;
  uint64_t end = 0;

  bool holds(uint64_t address) const { return begin <= address && address < end; }
};

Mapped mapping_of(pid_t process, const std::string &file) {
  std::ifstream maps("/proc/" + std::to_string(process) + "/maps");
  Mapped mapped;
  for (std::string line; std::getline(maps, line);) {
    if (line.size() < file.size() ||
        line.compare(line.size() - file.size(), file.size(), file) != 0)
      continue;
    uint64_t begin = 0;
    uint64_t end = 0;
    if (std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64, &begin, &end) != 2) continue;
    mapped.begin = std::min(mapped.begin, begin);
    mapped.end = std::max(mapped.end, end);
  }
  return mapped;
}

class Program {
public:
  explicit Program(pid_t process) : process_(process) {}

  // Lets it run to its next stop; false when it has ended.
  bool run() { return go_on(PTRACE_CONT); }

  void step() {
    if (!go_on(PTRACE_SINGLESTEP)) fail("the program ended in the midst of a call");
  }

  user_regs_struct registers() const {
    user_regs_struct registers{};
    if (ptrace(PTRACE_GETREGS, process_, nullptr, &registers) != 0) fail("no registers");
    return registers;
  }

  std::string text_at(uint64_t address) const {
    std::string text;
    for (;; address += sizeof(long)) {
      errno = 0;
      const long word = ptrace(PTRACE_PEEKDATA, process_, address, nullptr);
      if (errno != 0) fail("the name of a call cannot be read");
      const auto *bytes = reinterpret_cast<const char *>(&word);
      const size_t length = strnlen(bytes, sizeof word);
      text.append(bytes, length);
      if (length < sizeof word) return text;
    }
  }

private:
  bool go_on(__ptrace_request how) {
    if (ptrace(how, process_, nullptr, nullptr) != 0) fail("the program cannot be resumed");
    int status = 0;
    if (waitpid(process_, &status, 0) != process_) fail("the program is lost");
    if (WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP) return true;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return false;
    fail("the program failed, with wait status " + std::to_string(status));
  }

  pid_t process_;
};

// From the first instruction of `function` to the one that returns from it, both included.
std::vector<uint64_t> path_of(Program &program, uint64_t function) {
  user_regs_struct registers = program.registers();
  for (int steps = 0; registers.rip != function; ++steps) {
    if (steps == kLongestCall) fail("the call that was announced did not come");
    program.step();
    registers = program.registers();
  }
  const uint64_t return_address_at = registers.rsp;
  std::vector<uint64_t> path;
  while (registers.rsp <= return_address_at) {
    if (path.size() == kLongestCall) fail("a call does not return");
    path.push_back(registers.rip);
    program.step();
    registers = program.registers();
  }
  return path;
}

void print(const std::string &name, const std::vector<uint64_t> &path, const Mapped &library) {
  std::printf("call %s\n", name.c_str());
  for (const uint64_t address : path)
    if (library.holds(address))
      std::printf("in %" PRIx64 "\n", address - library.begin);
    else
      std::printf("out %" PRIx64 "\n", address);
}

} // namespace

int main(int count, char **arguments) {
  if (count != 3) fail("usage: step_calls LIBRARY PROGRAM");
  const pid_t process = fork();
  if (process < 0) fail("fork failed");
  if (process == 0) be_the_program(arguments[1], arguments[2]);
  int status = 0;
  waitpid(process, &status, 0); // stops once when the program has been loaded
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  Program program(process);
  while (program.run()) {
    const user_regs_struct registers = program.registers();
    const std::string name = program.text_at(registers.rdi);
    // The kernel tells where a link led.
    const Mapped library = mapping_of(process, std::filesystem::canonical(arguments[1]));
    if (!library.holds(registers.rsi)) fail(name + " is not the library's: it was not preloaded");
    print(name, path_of(program, registers.rsi), library);
  }
  return 0;
}
