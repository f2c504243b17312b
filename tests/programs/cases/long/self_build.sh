# This project builds itself, with cmake, ninja and the compiler all under the heap.
# needs: cmake cmake
# needs: ninja ninja-build
# needs: g++ g++
cmake -G Ninja -S "$SOURCE" -B build -DCMAKE_BUILD_TYPE=RelWithDebInfo -DABUT_TESTS=OFF > configure.log
ninja -C build -j 2 > build.log || cat build.log
ninja -C build | tail -1
find build \( -name '*.o' -o -name '*.so' -o -path 'build/bin/*' \) -type f -print0 | sort -z | xargs -0 sha256sum
