// A plug-in that allocates when it is loaded, when it is called, and when it is unloaded.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <string>
#include <vector>

namespace {

const std::vector<std::string> words(100,
                                     std::string(80, 'p')); // allocated by a static constructor

} // namespace

extern "C" {

void *plugin_allocate(std::size_t size) {
  void *block = std::malloc(size);
  return block == nullptr ? nullptr : std::memset(block, 0x5a, size);
}

void plugin_free(void *block) { std::free(block); }

void *plugin_reallocate(void *block, std::size_t size) { return std::realloc(block, size); }

std::size_t plugin_usable(void *block) { return malloc_usable_size(block); }

char *plugin_duplicate(const char *text) { return strdup(text); }

char *plugin_read_line(const char *text, std::size_t size) {
  std::FILE *stream = fmemopen(const_cast<char *>(text), size, "r");
  char *line = nullptr;
  std::size_t capacity = 0;
  getline(&line, &capacity, stream);
  std::fclose(stream);
  return line;
}

char *plugin_print(int count) {
  char *text = nullptr;
  std::size_t length = 0;
  std::FILE *stream = open_memstream(&text, &length);
  for (int i = 0; i < count; ++i) std::fprintf(stream, "%d,", i);
  std::fclose(stream);
  return text;
}

std::string *plugin_new_string(const char *text) { return new std::string(text); }

std::size_t plugin_words() {
  thread_local std::vector<std::string> own(10,
                                            std::string(100, 't')); // freed when the thread ends
  own.emplace_back("another");
  return words.size() + own.size();
}
}
