#!/bin/sh
# Builds the tool against the installed Valgrind.
#
# usage: build.sh RAW_STREAM_FOLDER OUTPUT_FOLDER
# The first is where raw_stream.h is. The second becomes what VALGRIND_LIB may point to: the tool, what it preloads, and
# links to what Valgrind's core needs there.
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu

here=$(cd "$(dirname "$0")" && pwd)
raw=$1
out=$2
platform=amd64-linux

fail() {
    echo "build.sh: $*" >&2
    exit 1
}

# ---- where the installed Valgrind keeps its parts ----

first_of() {
    wanted=$1
    shift
    for folder in "$@"; do
        if [ -e "$folder/$wanted" ]; then
            echo "$folder"
            return
        fi
    done
    fail "no $wanted in $*"
}

prefix=$(dirname "$(dirname "$(command -v valgrind || fail "valgrind is not installed")")")
headers=$(first_of pub_tool_basics.h "$prefix/include/valgrind" /usr/include/valgrind)
libraries=$(first_of libcoregrind-$platform.a "$prefix"/lib/*/valgrind "$prefix"/lib/valgrind \
    "$prefix"/lib64/valgrind /usr/lib/*/valgrind)
programs=$(first_of none-$platform "$prefix/libexec/valgrind" "$prefix"/lib/*/valgrind /usr/libexec/valgrind \
    /usr/lib/*/valgrind)
address=$(sed -n 's/^valt_load_address=//p' "$(dirname "$libraries")/pkgconfig/valgrind.pc" 2>/dev/null || true)

# ---- the tool ----

CC=${CC:-cc}
defines="-DVGA_amd64=1 -DVGO_linux=1 -DVGP_amd64_linux=1 -DVGPV_amd64_linux_vanilla=1"
includes="-I$headers -I$(dirname "$headers") -I$raw"

mkdir -p "$out"
# shellcheck disable=SC2086
$CC -std=gnu11 -O2 -g -m64 -fno-pie -fno-stack-protector -fno-strict-aliasing -fno-builtin -fomit-frame-pointer \
    -mno-sse3 -Wall -Wextra -Wno-unused-parameter $defines $includes \
    -static -no-pie -nodefaultlibs -nostartfiles -u _start -Wl,--build-id=none \
    -Wl,-Ttext-segment="${address:-0x58000000}" \
    -o "$out/abut-$platform" "$here"/tool/*.c \
    -L"$libraries" -lcoregrind-$platform -lvex-$platform -lgcc-sup-$platform -lgcc

# ---- the wrappers ----

# shellcheck disable=SC2086
$CC -std=gnu11 -O2 -g -m64 -fPIC -fno-builtin -fno-stack-protector -fasynchronous-unwind-tables -Wall -Wextra \
    $defines $includes -include pub_tool_basics.h -include pub_tool_redir.h \
    -shared -nodefaultlibs -Wl,-z,interpose,-z,initfirst \
    -o "$out/vgpreload_abut-$platform.so" "$here/wrap/wrappers.c"

# ---- what the core needs ----

for file in "$programs"/default.supp "$programs/vgpreload_core-$platform.so" "$programs"/*.xml; do
    if [ -e "$file" ]; then ln -sf "$file" "$out/"; fi
done
