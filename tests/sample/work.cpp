// Programs for the sampler: `work KIND ROUNDS` computes what is known, in many ways, and prints it.
//
// `all` goes through instructions of many kinds; the others have what a burst must end at, or must not begin for.
#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>
#include <memory>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <unordered_map>
#include <vector>

namespace {

using Number = std::uint64_t;

struct Shape {
  virtual ~Shape() = default;
  virtual double area() const = 0;
};
struct Square : Shape {
  explicit Square(double s) : side(s) {}
  double area() const override { return side * side; }
  double side;
};
struct Disc : Shape {
  explicit Disc(double r) : radius(r) {}
  double area() const override { return radius * radius * 3.25; }
  double radius;
};

__attribute__((noinline)) Number by_table(Number value) {
  switch (value % 9) {
  case 0: return value * 3;
  case 1: return value ^ 0x55;
  case 2: return value >> 3;
  case 3: return value + 17;
  case 4: return ~value;
  case 5: return value << 5;
  case 6: return value / 7;
  case 7: return value % 1001;
  default: return value - 1;
  }
}

__attribute__((noinline)) Number thrown(Number value) {
  try {
    if (value % 3 == 0) throw std::runtime_error(std::to_string(value));
    return value;
  } catch (const std::runtime_error &error) {
    return std::strlen(error.what());
  }
}

thread_local std::jmp_buf back;
__attribute__((noinline)) void jump(int value) { std::longjmp(back, value); }
__attribute__((noinline)) Number jumped(int value) {
  volatile Number seen = 1;
  if (const int got = setjmp(back); got == 0)
    jump(value + 1);
  else
    seen = seen + static_cast<Number>(got);
  return seen;
}

__attribute__((noinline)) Number vectors(Number seed) {
  float a[64], b[64];
  for (unsigned i = 0; i < 64; ++i) {
    a[i] = static_cast<float>((seed + i) % 97);
    b[i] = static_cast<float>(i) * 0.5F;
  }
  float sum = 0;
  for (unsigned i = 0; i < 64; ++i) sum += a[i] * b[63 - i];
  long double precise = sum;
  precise = precise / 3.0L;
  return static_cast<Number>(precise);
}

Number objects(Number seed) {
  std::list<Number> list;
  std::unordered_map<Number, std::string> names;
  std::vector<std::unique_ptr<Shape>> shapes;
  for (Number i = 0; i < 200; ++i) {
    list.push_back(i * seed);
    names[i % 31] += static_cast<char>('a' + i % 26);
    if (i % 2 == 0)
      shapes.push_back(std::make_unique<Square>(static_cast<double>(i)));
    else
      shapes.push_back(std::make_unique<Disc>(static_cast<double>(i)));
  }
  Number sum = 0;
  for (Number value : list) sum += value;
  for (const auto &[key, name] : names) sum += key * name.size();
  double area = 0;
  for (const auto &shape : shapes) area += shape->area();
  return sum + static_cast<Number>(area);
}

Number everything(Number rounds) {
  Number sum = 0;
  char from[300], to[300];
  for (Number i = 0; i < rounds; ++i) {
    sum = by_table(sum + i);
    sum += thrown(i) + jumped(static_cast<int>(i % 1000)) + vectors(i) + objects(i);
    std::memset(from, static_cast<int>(i), sizeof from);
    std::memcpy(to, from, sizeof to);
    sum += static_cast<unsigned char>(to[i % sizeof to]);
    sum ^= sum << 13;
    sum ^= sum >> 7;
  }
  return sum;
}

Number in_threads(Number rounds) {
  std::atomic<Number> sum{0}, turns{0};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (Number i = 0; i < rounds; ++i) turns.fetch_add(objects(t + 1) != 0 ? 1 : 0);
      sum.fetch_add(everything(rounds / 4 + t));
    });
  for (std::thread &thread : threads) thread.join();
  return sum.load() + turns.load();
}

// Code that is made at run time: adds 1 to its argument three hundred times over.
Number made_code(Number rounds) {
  void *memory =
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 0;
  const unsigned char begin[] = {0x48, 0x89, 0xf8}, add[] = {0x48, 0x83, 0xc0, 0x01};
  auto *at = static_cast<unsigned char *>(memory);
  std::memcpy(at, begin, sizeof begin);
  at += sizeof begin;
  for (int i = 0; i < 300; ++i, at += sizeof add) std::memcpy(at, add, sizeof add);
  *at = 0xc3;
  Number (*function)(Number);
  std::memcpy(&function, &memory, sizeof function);
  Number sum = objects(1);
  for (Number i = 0; i < rounds * 2000; ++i) sum = function(sum);
  return sum;
}

Number system_calls(Number rounds) {
  Number sum = objects(1);
  for (Number i = 0; i < rounds * 300; ++i) sum += getppid() != 0 ? 1 : 0;
  return sum;
}

std::sig_atomic_t volatile caught = 0;
std::jmp_buf before_fault;

Number with_faults(Number rounds) {
  std::signal(SIGSEGV, [](int) {
    caught = caught + 1;
    siglongjmp(before_fault, 1);
  });
  volatile int *volatile nowhere = nullptr;
  for (int i = 0; i < 50; ++i)
    if (sigsetjmp(before_fault, 1) == 0) *nowhere = 1;
  return everything(rounds) + static_cast<Number>(caught);
}

} // namespace

// What lives as long as the program does, and gains by a pool.
struct Ballast {
  Ballast *next;
  Number filling[7];
};

const Ballast *grow(Number objects) {
  Ballast *last = nullptr;
  for (Number i = 0; i < objects; ++i) last = new Ballast{last, {}};
  return last;
}

Number sum_of(const Ballast *last) {
  Number sum = 0;
  for (; last != nullptr; last = last->next) sum += last->filling[0];
  return sum;
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  constexpr Number kBallast = 40'000, kWalks = 2000;
  const Ballast *ballast = grow(kBallast);
  const std::string kind = argv[1];
  const Number rounds = std::strtoull(argv[2], nullptr, 10);
  Number result = 0;
  if (kind == "all") result = everything(rounds);
  if (kind == "threads") result = in_threads(rounds);
  if (kind == "made") result = made_code(rounds);
  if (kind == "calls") result = system_calls(rounds);
  if (kind == "faults") result = with_faults(rounds);
  for (Number i = 0; i < kWalks && kind == "all"; ++i) result += sum_of(ballast);
  std::printf("%llx\n", static_cast<unsigned long long>(result));
  return 0;
}
