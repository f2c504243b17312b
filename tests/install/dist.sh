#!/usr/bin/env bash
# Installs each package of a folder in a system of its own, a bare Debian 12, and uses it there. Of the source distribution a
# wheel is built without a network. And all are built again, by another user in another place, to the same bytes. Needs root.
#
# usage: dist.sh FOLDER [library|headers|wheel|source|image|again]...
set -euo pipefail

folder=$(realpath "$1")
root=$(realpath "$(dirname "$0")/../..")
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
umask 022

fail() { echo "dist.sh: $*" >&2; exit 1; }
quietly() { "$@" >"$here/log" 2>&1 || { tail -n 20 "$here/log" | cut -c 1-500 >&2; fail "$* failed"; }; }

# A system with these packages of Debian's, or these files.
make_system() {
    local name=$1
    shift
    quietly mmdebstrap --variant=minbase "${@/#/--include=}" \
        --hook-dir=/usr/share/mmdebstrap/hooks/file-mirror-automount bookworm "$here/$name"
}

# says SYSTEM WORDS COMMAND...: the command, in that system, prints the words.
says() {
    local system=$1 words=$2 said
    shift 2
    said=$(unshare --mount --pid --fork --root="$here/$system" --mount-proc \
        env -i PATH=/usr/bin:/bin HOME=/root LANG=C.UTF-8 "$@" 2>&1) || fail "$system: $* failed: $said"
    [[ $said == *"$words"* ]] || fail "$system: $* does not print '$words': $said"
}

the_library() {
    make_system library "$folder"/libabut0_*_amd64.deb
    says library libabut.so.0 sh -c 'LD_PRELOAD=libabut.so.0 cat /proc/self/maps'
    says library small_pages sh -c 'LD_PRELOAD=libabut.so.0 ABUT_STATS=/stats.json ls / >/dev/null; cat /stats.json'
}

the_headers() {
    make_system headers "$folder"/libabut0_*_amd64.deb "$folder"/libabut-dev_*_amd64.deb cmake g++ make pkgconf
    cp -r "$root/examples" "$here/headers/examples"
    says headers 'hints' sh -c 'cmake -S /examples -B /built && cmake --build /built && /built/hints'
    says headers 'libabut.so.0' ldd /built/hints
    says headers '% with hints' sh -c 'mkdir /made && make -C /examples OUT=/made >/dev/null && /made/hints'
    says headers '% with hints' sh -c 'gcc -o /inside /examples/hints.c -l:libabut.a && /inside'
}

the_wheel() {
    mkdir "$here/wheels"
    quietly "$root/.venv/bin/python" -m pip download --dest "$here/wheels" "$folder"/abut-*.whl
    make_system wheel python3-venv
    cp -r "$here/wheels" "$here/wheel/wheels"
    says wheel '' sh -c 'python3 -m venv /abut && /abut/bin/pip install --quiet --no-index --find-links /wheels abut'
    says wheel 'version' sh -c '/abut/bin/abut --version && echo version'
    says wheel 42 /abut/bin/abut run -- sh -c 'echo $((6 * 7))'
    says wheel 'peak RSS' /abut/bin/abut compare --runs 2 --heaps glibc,abut -- /bin/ls /
    says wheel 'opens in any browser' sh -c 'cd /root && /abut/bin/abut record --recorder light -o ls.trace -- /bin/ls / &&
        /abut/bin/abut report -o ls.html ls.trace'
    [[ -s $here/wheel/abut/share/man/man1/abut-run.1 ]] || fail "the wheel has no manual pages"
}

the_source() {
    quietly unshare --net "$root/.venv/bin/python" -m pip wheel --no-index --no-build-isolation --no-deps \
        --wheel-dir "$here/offline" "$folder"/abut-*.tar.gz
}

the_image() {
    local image=$here/image
    mkdir "$image"
    tar -x -C "$image" -f "$folder"/abut-*-oci.tar
    quietly umoci unpack --image "$image:$(umoci list --layout "$image")" "$here/bundle"
    grep -q '"LD_PRELOAD=libabut.so.0"' "$here/bundle/config.json" || fail "the image does not preload the library"
    ln -s bundle/rootfs "$here/container"
    says container libabut.so.0 sh -c 'LD_PRELOAD=libabut.so.0 cat /proc/self/maps'
}

the_again() {
    (umask 077 && TZ=Asia/Tokyo quietly "$root/tools/dist.sh" "$here/again")
    diff "$folder/SHA256SUMS" "$here/again/SHA256SUMS" || fail "another build of the same commit differs"
}

(cd "$folder" && sha256sum --quiet --check SHA256SUMS)
[[ $# -gt 1 ]] && parts=("${@:2}") || parts=(library headers wheel source image again)
for part in "${parts[@]}"; do
    "the_$part"
    echo "dist.sh: $part: works"
done
