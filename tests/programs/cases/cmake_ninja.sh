# cmake configures and ninja builds a small project, all of them under the heap.
# needs: cmake cmake
# needs: ninja ninja-build
# needs: g++ g++
mkdir project
cat > project/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.20)
project(small LANGUAGES C CXX)
include(CheckIncludeFile)
check_include_file(unistd.h HAVE_UNISTD)
set(sources "")
foreach(n RANGE 1 30)
  configure_file(part.cpp.in part${n}.cpp)
  list(APPEND sources ${CMAKE_CURRENT_BINARY_DIR}/part${n}.cpp)
endforeach()
add_library(parts STATIC ${sources})
add_executable(small main.cpp)
target_link_libraries(small PRIVATE parts)
enable_testing()
add_test(NAME runs COMMAND small)
CMAKE
printf 'int part${n}(int x) { return x * ${n}; }\n' > project/part.cpp.in
{
    for n in $(seq 1 30); do echo "int part$n(int);"; done
    echo '#include <cstdio>'
    echo 'int main() { int sum = 0;'
    for n in $(seq 1 30); do echo "sum += part$n($n);"; done
    echo 'std::printf("%d\n", sum); return sum != 9455; }'
} > project/main.cpp
cmake -G Ninja -S project -B build -DCMAKE_BUILD_TYPE=Release > configure.log
grep -vE '[0-9.]+ ?s\)' configure.log
ninja -C build -j 2 > build.log
grep -oE '\[[0-9]+/[0-9]+\]' build.log | tail -1
./build/small
sha256sum build/small
ninja -C build | tail -1
ninja -C build -t targets all | cksum
(cd build && ctest --output-on-failure | grep -E 'tests passed')
touch project/main.cpp && ninja -C build -n | grep -c -E 'main|Linking'
