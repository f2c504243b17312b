#!/usr/bin/env bash
# The port of vcpkg's, from an archive of the sources, in a consumer's program. With VCPKG_ROOT, a checkout of vcpkg that has
# its tool, vcpkg installs the port. vcpkg is no package of Debian's: without it, CMake runs the port file with what it asks
# of vcpkg defined here, which says nothing of vcpkg's own part.
#
# usage: [VCPKG_ROOT=FOLDER] vcpkg.sh SOURCE
set -euo pipefail

source=$1
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT

quietly() { "$@" >"$here/log" 2>&1 || { cat "$here/log"; exit 1; }; }

version=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["version"])' "$source/packaging/vcpkg/abut/vcpkg.json")
tar -C "$source" -czf "$here/abut.tar.gz" --transform 's,^,abut/,' LICENSE include
cp -r "$source/tests/install/consumer" "$here/consumer"
export ABUT_TARBALL=$here/abut.tar.gz

if [[ -x ${VCPKG_ROOT:-}/vcpkg ]]; then
    echo '{"name": "consumer", "version": "1", "dependencies": ["abut"]}' >"$here/consumer/vcpkg.json"
    export VCPKG_KEEP_ENV_VARS=ABUT_TARBALL VCPKG_FORCE_SYSTEM_BINARIES=1 VCPKG_DISABLE_METRICS=1
    toolchain=$VCPKG_ROOT/scripts/buildsystems/vcpkg.cmake
    quietly cmake -S "$here/consumer" -B "$here/out" -D CMAKE_TOOLCHAIN_FILE="$toolchain" \
        -D VCPKG_OVERLAY_PORTS="$source/packaging/vcpkg" -D VCPKG_INSTALL_OPTIONS=--binarysource=clear
    packages=$(dirname "$here"/out/vcpkg_installed/*/share)
    done="installed by vcpkg, and run"
else
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
    quietly cmake -D WORK="$here/work" -D PORT="$source/packaging/vcpkg/abut" \
    -D VERSION="$version" -D CURRENT_PACKAGES_DIR="$here/packages" -P "$here/vcpkg.cmake"
    quietly cmake -S "$here/consumer" -B "$here/out" -D CMAKE_PREFIX_PATH="$here/packages"
    packages=$here/packages
    done="built as the port says, and run"
fi
[[ -s $packages/share/abut/copyright ]]
quietly cmake --build "$here/out" --target consumer
[[ $("$here/out/consumer") == "1 3 3 2" ]] || { echo "vcpkg.sh: computed something else" >&2; exit 1; }
echo "$done"
