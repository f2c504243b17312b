// A block that is used where it must not be, by each way to allocate one.
//
// usage: strays HOW FAULT BYTES [thread]
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <future>
#include <malloc.h>
#include <map>
#include <new>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

namespace {

size_t bytes;

struct How {
  char *(*make)();
  void (*give_back)(char *);
};

char *by_malloc() { return static_cast<char *>(std::malloc(bytes)); }
char *by_calloc() { return static_cast<char *>(std::calloc(1, bytes)); }
char *by_realloc() { return static_cast<char *>(std::realloc(std::malloc(3), bytes)); }
char *by_shrinking() { return static_cast<char *>(std::realloc(std::malloc(4 * bytes), bytes)); }
char *by_aligned_alloc() { return static_cast<char *>(std::aligned_alloc(256, bytes)); }
char *by_posix_memalign() {
  void *memory = nullptr;
  return posix_memalign(&memory, 8192, bytes) == 0 ? static_cast<char *>(memory) : nullptr;
}
char *by_new() { return static_cast<char *>(::operator new(bytes)); }
// Of a name longer than a line of a message.
template <class T>
char *by_template() {
  return static_cast<char *>(std::malloc(bytes));
}
using Texts = std::map<std::string, std::map<std::string, std::string>>;
char *by_new_array() { return new char[bytes]; }
char *by_new_aligned() {
  return static_cast<char *>(::operator new (bytes, std::align_val_t{128}));
}
void by_free(char *memory) { std::free(memory); }
void by_delete(char *memory) { ::operator delete(memory, bytes); }
void by_delete_array(char *memory) { delete[] memory; }
void by_delete_aligned(char *memory) { ::operator delete (memory, std::align_val_t{128}); }

const std::map<std::string, How> ways = {
    {"malloc", {by_malloc, by_free}},
    {"calloc", {by_calloc, by_free}},
    {"realloc", {by_realloc, by_free}},
    {"shrinking", {by_shrinking, by_free}},
    {"aligned_alloc", {by_aligned_alloc, by_free}},
    {"posix_memalign", {by_posix_memalign, by_free}},
    {"template", {by_template<std::map<Texts, Texts>>, by_free}},
    {"new", {by_new, by_delete}},
    {"new_array", {by_new_array, by_delete_array}},
    {"new_aligned", {by_new_aligned, by_delete_aligned}},
};

void write(char *at, size_t count) {
  for (size_t i = 0; i < count; ++i) const_cast<volatile char *>(at)[i] = 0x41;
}

// Of this program alone: what getrusage() says has been that of who started it, too.
void print_peak() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.compare(0, 6, "VmHWM:") == 0) std::printf("%d KiB\n", std::stoi(line.substr(6)));
}

void commit(const How &how, const std::string &fault) {
  if (fault == "crowded") // as many blocks as would leave no mappings, which the thread below needs
    for (int i = 0; i < 33000; ++i) how.make();
  char *block = how.make();
  if (fault == "untouched") return print_peak();
  write(block, bytes);
  if (fault == "beyond_1") write(block + bytes, 1);
  if (fault == "beyond_16") write(block + bytes, 16);
  if (fault == "beyond_4096") write(block + bytes, 4096);
  if (fault == "before_1") write(block - 1, 1);
  if (fault == "foreign") how.give_back(reinterpret_cast<char *>(&bytes));
  if (fault == "closed") { // by the program itself
    char *page = block - reinterpret_cast<size_t>(block) % 4096 + 4096;
    mprotect(page, 4096, PROT_READ);
    write(page, 1);
  }
  const bool has_thread = fault == "waiting" || fault == "crowded";
  if (has_thread) {
    std::promise<void> ready;
    std::thread([&] { flockfile(stdin), ready.set_value(), pause(); }).detach();
    ready.get_future().wait();
  }
  if (fault == "never_freed" || has_thread) return write(block + bytes, 1);
  how.give_back(block);
  if (fault == "twice") how.give_back(block);
  if (fault == "asked") std::printf("%zu\n", malloc_usable_size(block));
  if (fault == "written") write(block, 1);
  if (fault == "read")
    std::printf("%x\n",
                static_cast<volatile unsigned char *>(static_cast<void *>(block))[bytes / 2]);
  if (fault == "many") {
    for (int i = 0; i < 100000; ++i) how.give_back(how.make());
    print_peak();
  }
  if (fault == "left") { // the block is looked at when others push it out
    write(block, 1);
    for (int i = 0; i < 100000; ++i) std::free(std::malloc(2000));
    std::_Exit(9);
  }
}

} // namespace

int main(int count, char **arguments) {
  const std::string fault = arguments[2];
  bytes = std::strtoul(arguments[3], nullptr, 10);
  const How &how = ways.at(arguments[1]);
  if (count == 4) {
    commit(how, fault);
  } else {
    for (int i = 0; i < 4; ++i) std::thread([&] { commit(how, i == 3 ? fault : "none"); }).join();
  }
  std::puts("end");
}
