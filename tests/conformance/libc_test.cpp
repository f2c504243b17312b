// Blocks that the C library allocates and the program frees, and the other way round: two
// allocators must not mix. The library's other functions call the same malloc, realloc and free.
#include "support/opaque.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <malloc.h>
#include <netdb.h>
#include <string>
#include <wchar.h>

using support::opaque;

namespace {

TEST(LibcBlock, OfTheStringFunctionsIsFreedByFree) {
  for (int length = 0; length < 3000; length += 7) {
    const std::string text(static_cast<std::size_t>(length), 'a');
    const std::wstring wide(static_cast<std::size_t>(length), L'b');
    char *whole = strdup(text.c_str());
    char *part = strndup(text.c_str(), 10);
    wchar_t *wide_copy = wcsdup(wide.c_str());
    char *printed = nullptr;
    ASSERT_EQ(asprintf(&printed, "%s!", text.c_str()), length + 1);
    EXPECT_EQ(text, whole);
    EXPECT_GE(malloc_usable_size(whole), text.size() + 1);
    std::free(whole);
    std::free(part);
    std::free(wide_copy);
    std::free(printed);
  }
}

TEST(LibcBlock, OfGetlineGrowsTheProgramsBlock) {
  std::string text;
  for (int line = 0; line < 2000; ++line)
    text += std::string(static_cast<std::size_t>(line * 3), 'x') + "\n";
  std::FILE *stream = fmemopen(text.data(), text.size(), "r");
  auto *buffer = static_cast<char *>(std::malloc(4));
  std::size_t capacity = 4;
  for (ssize_t line = 0; line < 2000; ++line)
    ASSERT_EQ(getline(&buffer, &capacity, stream), line * 3 + 1);
  EXPECT_GE(malloc_usable_size(buffer), capacity);
  std::free(buffer);
  std::fclose(stream);
}

TEST(LibcBlock, OfAMemoryStreamIsReallocatedByTheProgram) {
  char *text = nullptr;
  std::size_t length = 0;
  std::FILE *stream = open_memstream(&text, &length);
  for (int i = 0; i < 100'000; ++i) std::fprintf(stream, "%d,", i);
  std::fclose(stream);
  text = static_cast<char *>(std::realloc(text, length * 2));
  ASSERT_NE(text, nullptr);
  EXPECT_EQ(std::strncmp(text, "0,1,2,3,", 8), 0);
  std::free(text);
}

TEST(LibcBlock, OfNameServicesIsFreedByTheirOwnCall) {
  // Loads plug-ins (libnss_*) with dlopen, which allocate by themselves.
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST;
  for (const char *host : {"127.0.0.1", "::1"}) {
    addrinfo *found = nullptr;
    ASSERT_EQ(getaddrinfo(host, "80", &hints, &found), 0) << host;
    EXPECT_NE(found->ai_addr, nullptr);
    freeaddrinfo(found);
  }
  addrinfo *none = nullptr;
  EXPECT_EQ(getaddrinfo("no number", "80", &hints, &none), EAI_NONAME);
  EXPECT_NE(getservbyname("no-such-service-anywhere", "tcp"),
            opaque(reinterpret_cast<servent *>(1)));
}

} // namespace
