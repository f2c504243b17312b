# C++ compiled in several processes and linked with optimization of the whole: the same bytes.
# needs: g++ g++
for part in 1 2 3 4 5 6; do
    cat > part$part.cpp <<END
#include <algorithm>
#include <map>
#include <memory>
#include <regex>
#include <string>
#include <unordered_map>
#include <vector>
template <int N> struct Chain { std::map<std::string, std::vector<std::unique_ptr<int>>> parts; Chain<N - 1> rest;
    int sum() const { int total = rest.sum(); for (auto &[name, list] : parts) for (auto &one : list) total += *one; return total; } };
template <> struct Chain<0> { int sum() const { return 0; } };
int work$part(int n) {
    Chain<40> chain;
    for (int i = 0; i < n; ++i) chain.parts[std::to_string(i % 7)].push_back(std::make_unique<int>(i * $part));
    std::unordered_map<std::string, int> seen;
    std::regex form("([0-9]+)-([a-z]+)");
    for (int i = 0; i < n; ++i) if (std::regex_match(std::to_string(i) + "-x", form)) ++seen[std::to_string(i % 11)];
    std::vector<int> all; for (auto &[key, count] : seen) all.push_back(count); std::sort(all.begin(), all.end());
    return chain.sum() + all.front();
}
END
done
cat > main.cpp <<'END'
#include <cstdio>
int work1(int), work2(int), work3(int), work4(int), work5(int), work6(int);
int main() { std::printf("%d\n", work1(200) + work2(200) + work3(200) + work4(200) + work5(200) + work6(200)); }
END
for source in *.cpp; do g++ -std=c++17 -O2 -flto -frandom-seed=$source -c "$source"; done
sha256sum *.o
g++ -O2 -flto=2 -flto-partition=balanced -frandom-seed=1 *.o -o program
strip program
sha256sum program
./program
