# Compiler, assembler and linker build a part of this project: the same bytes must come out.
# needs: g++ g++
# needs: ld binutils
files=("$SOURCE"/src/runtime/os/*.cpp "$SOURCE"/src/runtime/heap/*.cpp)
for file in "${files[@]:0:4}"; do
    g++ -std=c++20 -O1 -fPIC -I"$SOURCE/include" -I"$SOURCE/src/runtime" -c "$file" -o "$(basename "$file").o"
done
g++ -shared -o together.so *.o
sha256sum *.o together.so
echo 'int main(void) { return sizeof(long) - 8; }' > small.c
gcc -O2 -flto -Wl,--build-id small.c -o small && ./small && sha256sum small
cat > standard.cpp <<'CPP'
#include <iostream>
#include <map>
#include <string>
#include <vector>
int main() {
  std::map<std::string, std::vector<int>> words;
  for (int i = 0; i < 1000; ++i) words[std::to_string(i % 37)].push_back(i);
  std::cout << words.size() << words["5"].size() << '\n';
}
CPP
g++ -std=c++20 -O1 standard.cpp -o standard && ./standard
echo 'int f(' | g++ -x c++ -c - -o none.o 2> messages || cat messages
