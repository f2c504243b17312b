// Blocks that the C library allocates and the program frees, and the other way round: two
// allocators must not mix.
#include "support/opaque.hpp"
#include "support/pattern.hpp"

#include <climits>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <glob.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <netdb.h>
#include <regex.h>
#include <search.h>
#include <string>
#include <unistd.h>
#include <vector>
#include <wchar.h>
#include <wordexp.h>

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

TEST(LibcBlock, OfGetdelimBeginsFromNothingAndHoldsAllItRead) {
  std::string text;
  for (std::size_t part = 1; part < 200; ++part) text += std::string(part * part, 'y') + ";";
  std::FILE *stream = fmemopen(text.data(), text.size(), "r");
  char *buffer = nullptr;
  std::size_t capacity = 0;
  for (ssize_t part = 1; part < 200; ++part) {
    ASSERT_EQ(getdelim(&buffer, &capacity, ';', stream), part * part + 1);
    ASSERT_EQ(std::string(buffer), std::string(static_cast<std::size_t>(part * part), 'y') + ";");
    if (part % 20 != 0) continue;
    std::free(buffer); // the program may take it over at any time
    buffer = nullptr;
    capacity = 0;
  }
  std::free(buffer);
  std::fclose(stream);
}

TEST(LibcBlock, OfScanfIsFreedByFree) {
  const std::string text(20'000, 's');
  char *word = nullptr;
  char *set = nullptr;
  ASSERT_EQ(std::sscanf((text + " 12,rest").c_str(), "%ms %m[0-9]", &word, &set), 2);
  EXPECT_EQ(text, word);
  EXPECT_STREQ(set, "12");
  std::free(word);
  std::free(set);
}

TEST(LibcBlock, OfPrintfIsWorkingSpaceOfAnyLength) {
  char *printed = nullptr;
  ASSERT_EQ(asprintf(&printed, "%100000d|%.5000f|%ls", 7, 1.5, L"wide"),
            100'000 + 1 + 5002 + 1 + 4);
  EXPECT_EQ(std::string(printed + 99'999, 4), "7|1.");
  EXPECT_STREQ(std::strrchr(printed, '|'), "|wide");
  printed = static_cast<char *>(std::realloc(printed, 10));
  EXPECT_EQ(std::string(printed, 10), std::string(10, ' '));
  std::free(printed);
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

TEST(LibcBlock, OfAWideMemoryStreamMayGrowWhileItIsLookedAt) {
  wchar_t *text = nullptr;
  std::size_t length = 0;
  std::FILE *stream = open_wmemstream(&text, &length);
  for (std::size_t i = 1; i <= 20'000; ++i) {
    std::fputws(L"abc", stream);
    if (i % 1000 != 0) continue;
    std::fflush(stream);
    ASSERT_EQ(length, 3 * i);
    ASSERT_GE(malloc_usable_size(text), (length + 1) * sizeof(wchar_t));
  }
  std::fclose(stream);
  EXPECT_EQ(text[length - 1], L'c');
  std::free(text);
}

TEST(LibcBlock, OfPathFunctionsIsFreedByFree) {
  for (int round = 0; round < 100; ++round) {
    char *resolved = realpath("/proc/self/../self/exe", nullptr);
    char *here = getcwd(nullptr, 0);
    ASSERT_NE(resolved, nullptr);
    ASSERT_NE(here, nullptr);
    std::free(resolved);
    std::free(here);
  }
}

TEST(LibcBlock, OfDirectoryListingsIsFreedByFree) {
  dirent **entries = nullptr;
  const int count = scandir("/usr/bin", &entries, nullptr, alphasort);
  ASSERT_GT(count, 10);
  for (int i = 0; i < count; ++i) std::free(entries[i]);
  std::free(entries);
  glob_t matches{};
  ASSERT_EQ(glob("/usr/*/*", 0, nullptr, &matches), 0);
  const std::size_t first = matches.gl_pathc;
  ASSERT_EQ(glob("/etc/*", GLOB_APPEND, nullptr, &matches), 0);
  EXPECT_GT(matches.gl_pathc, first);
  globfree(&matches);
  wordexp_t words{};
  ASSERT_EQ(wordexp("$HOME a b 'c d'", &words, WRDE_NOCMD), 0);
  wordfree(&words);
}

TEST(LibcBlock, OfTreesHashesAndExpressionsStaysInside) {
  regex_t expression{};
  ASSERT_EQ(regcomp(&expression, "^([a-z]+)-(([0-9]+)|x*)$", REG_EXTENDED), 0);
  EXPECT_EQ(regexec(&expression, "abut-2024", 0, nullptr, 0), 0);
  regfree(&expression);

  void *root = nullptr;
  static const auto compare = [](const void *a, const void *b) {
    return std::strcmp(static_cast<const char *>(a), static_cast<const char *>(b));
  };
  for (int i = 0; i < 5000; ++i) {
    char *key = nullptr;
    ASSERT_GT(asprintf(&key, "%d", i * 7919 % 5000), 0);
    ASSERT_NE(tsearch(key, &root, +compare), nullptr);
  }
  tdestroy(root, std::free);
}

TEST(LibcBlock, OfASetvbufBelongsToTheProgram) {
  auto *buffer = static_cast<char *>(std::malloc(65536));
  std::FILE *file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  ASSERT_EQ(std::setvbuf(file, buffer, _IOFBF, 65536), 0);
  for (int i = 0; i < 50'000; ++i) std::fputs("line\n", file);
  EXPECT_EQ(std::ftell(file), 250'000);
  std::fclose(file);
  std::free(buffer);
}

TEST(LibcBlock, OfALargeSortIsReturned) {
  // qsort takes its scratch space from malloc when the stack will not do.
  const std::size_t count = 200'000;
  auto *numbers = static_cast<long *>(std::malloc(count * sizeof(long)));
  for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<long>(i * 7919 % count);
  std::qsort(numbers, count, sizeof(long), [](const void *a, const void *b) {
    return static_cast<int>(*static_cast<const long *>(a) - *static_cast<const long *>(b));
  });
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(numbers[i], static_cast<long>(i));
  std::free(numbers);
}

// Records larger than a pointer are sorted through pointers to them, with scratch space for both.
TEST(LibcBlock, OfASortOfLargeRecordsIsReturned) {
  struct Record {
    std::size_t key;
    char rest[120];
  };
  std::vector<Record> records(20'000);
  for (std::size_t i = 0; i < records.size(); ++i) {
    records[i].key = i * 7919 % records.size();
    support::fill(records[i].rest, sizeof records[i].rest, records[i].key);
  }
  std::qsort(records.data(), records.size(), sizeof(Record), [](const void *a, const void *b) {
    const std::size_t left = static_cast<const Record *>(a)->key;
    const std::size_t right = static_cast<const Record *>(b)->key;
    return left < right ? -1 : left > right ? 1 : 0;
  });
  for (std::size_t i = 0; i < records.size(); ++i) {
    ASSERT_EQ(records[i].key, i);
    ASSERT_TRUE(support::holds(records[i].rest, sizeof records[i].rest, i));
  }
}

TEST(LibcBlock, OfLocalesIsFreedByTheirOwnCall) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (int round = 0; round < 100; ++round) {
    ASSERT_NE(std::setlocale(LC_ALL, "C.UTF-8"), nullptr);
    EXPECT_EQ(std::mblen("\u00e9", 2), 2);
    EXPECT_EQ(std::setlocale(LC_ALL, "no_SUCH.locale"), nullptr);
    ASSERT_NE(std::setlocale(LC_ALL, before.c_str()), nullptr);
    const locale_t made = newlocale(LC_ALL_MASK, "C.UTF-8", nullptr);
    ASSERT_NE(made, nullptr);
    const locale_t copy = duplocale(made);
    freelocale(made);
    freelocale(copy);
  }
}

TEST(LibcBlock, OfTheEnvironmentIsReplacedByTheCLibrary) {
  const std::string long_value(5000, 'v');
  for (int i = 0; i < 300; ++i)
    ASSERT_EQ(setenv(("ABUT_TEST_" + std::to_string(i)).c_str(), long_value.c_str(), 1), 0);
  for (int i = 0; i < 300; ++i) {
    const std::string name = "ABUT_TEST_" + std::to_string(i);
    EXPECT_EQ(long_value, std::getenv(name.c_str()));
    ASSERT_EQ(unsetenv(name.c_str()), 0);
  }
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
