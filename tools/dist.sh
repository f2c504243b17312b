#!/usr/bin/env bash
# Builds from the last commit what people install: a source distribution, a wheel, Debian packages, a container image, and a
# list of what they depend on. The same commit gives the same bytes.
#
# usage: tools/dist.sh [FOLDER]   (build/dist)
set -euo pipefail
cd "$(dirname "$0")/.."

root=$PWD
out=$(realpath -m "${1:-build/dist}")
python=$root/.venv/bin/python
version=$(sed -n 's/^project(abut VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
work=$(mktemp -d)
tree=$work/abut-$version
trap 'rm -rf "$work"' EXIT
umask 022
export SOURCE_DATE_EPOCH LC_ALL=C TZ=UTC
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)

say() { echo "dist: $*"; }
fail() { say "$@" >&2; exit 1; }

# Runs a command; shows what it printed only if it fails.
quietly() { "$@" >"$work/log" 2>&1 || { tail -n 20 "$work/log" | cut -c 1-500 >&2; fail "$1 failed"; }; }

source_distribution() {
    mkdir "$work/source"
    git archive HEAD | tar -x -C "$work/source"
    quietly "$python" -m build --sdist --outdir "$out" "$work/source"
}

# Named for the oldest system that it runs on, with the libraries that such a system may lack inside.
wheel() {
    tar -x -C "$work" -f "$out/abut-$version.tar.gz"
    local map=-ffile-prefix-map=$tree=.
    CFLAGS=$map CXXFLAGS=$map quietly "$python" -m pip wheel --no-deps --wheel-dir "$work/wheel" "$tree"
    PATH=$root/.venv/bin:$PATH quietly auditwheel repair --wheel-dir "$out" "$work"/wheel/abut-*.whl
    rm -r "$tree"
}

debian_packages() {
    tar -x -C "$work" -f "$out/abut-$version.tar.gz"
    cp -r "$tree/packaging/debian" "$tree/debian"
    cat >"$tree/debian/changelog" <<EOF
abut ($version) unstable; urgency=medium

  * Release $version; CHANGELOG.md says what is new.

 -- $(sed -n 's/^Maintainer: //p' "$tree/debian/control")  $(date -R -d "@$SOURCE_DATE_EPOCH")
EOF
    (cd "$tree" && quietly dpkg-buildpackage --build=binary --no-sign)
    quietly lintian --fail-on error,warning --no-tag-display-limit "$work"/*.changes
    mv "$work"/*.deb "$out"
}

# A small Debian whose programs run on the heap, as an OCI archive.
container_image() {
    local image=$work/image
    local created
    created=$(date -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)
    cp "$out"/libabut0_*.deb "$work/libabut0.deb"
    quietly mmdebstrap --variant=minbase --include=libzydis4.0 \
        --customize-hook="copy-in $work/libabut0.deb /root" \
        --customize-hook='chroot "$1" dpkg --install /root/libabut0.deb' \
        --customize-hook='rm "$1/root/libabut0.deb"' bookworm "$work/root.tar"
    quietly umoci init --layout "$image"
    quietly umoci new --image "$image:$version"
    quietly umoci raw add-layer --image "$image:$version" --history.created "$created" "$work/root.tar"
    quietly umoci config --image "$image:$version" --no-history --architecture amd64 \
        --created "$created" \
        --config.env LD_PRELOAD=libabut.so.0 --config.cmd /bin/bash
    quietly umoci gc --layout "$image"
    tar -c --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" \
        -f "$out/abut-$version-oci.tar" -C "$image" .
}

[[ -z $(git status --porcelain --untracked-files=no) ]] || say "what is not committed is left out"
rm -rf "$out"
mkdir -p "$out"
for step in source_distribution wheel debian_packages container_image; do
    say "${step//_/ }"
    "$step"
done
"$python" tools/dependencies.py >"$out/dependencies.md"
(cd "$out" && sha256sum -- * >"$work/sums" && mv "$work/sums" SHA256SUMS)
ls -sh "$out"
say "next: tests/install/dist.sh $out"
