#!/usr/bin/env bash
# The port of vcpkg's, from an archive of the sources, in a program of somebody else's. vcpkg itself is no package of
# Debian's: CMake runs the port file with what it asks of vcpkg defined here, which says nothing of vcpkg's own part.
#
# usage: vcpkg.sh SOURCE
set -euo pipefail

source=$1
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT

quietly() { "$@" >"$here/log" 2>&1 || { cat "$here/log"; exit 1; }; }

version=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["version"])' "$source/packaging/vcpkg/abut/vcpkg.json")
tar -C "$source" -czf "$here/abut.tar.gz" --transform 's,^,abut/,' LICENSE include
cat >"$here/vcpkg.cmake" <<'CMAKE'
function(vcpkg_extract_source_archive result)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "ARCHIVE" "")
  file(ARCHIVE_EXTRACT INPUT ${arg_ARCHIVE} DESTINATION ${WORK}/src)
  set(${result} ${WORK}/src/abut PARENT_SCOPE)
endfunction()
function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "FILE_LIST")
  file(INSTALL ${arg_FILE_LIST} DESTINATION ${CURRENT_PACKAGES_DIR}/share/abut RENAME copyright)
endfunction()
include(${PORT}/portfile.cmake)
CMAKE
ABUT_TARBALL=$here/abut.tar.gz quietly cmake -D WORK="$here/work" -D PORT="$source/packaging/vcpkg/abut" \
    -D VERSION="$version" -D CURRENT_PACKAGES_DIR="$here/packages" -P "$here/vcpkg.cmake"
[[ -s $here/packages/share/abut/copyright ]]
cp -r "$source/tests/install/consumer" "$here/consumer"
quietly cmake -S "$here/consumer" -B "$here/out" -D CMAKE_PREFIX_PATH="$here/packages"
quietly cmake --build "$here/out" --target consumer
[[ $("$here/out/consumer") == "1 3 3 2" ]] || { echo "vcpkg.sh: computed something else" >&2; exit 1; }
echo "built as the port says, and run"
