#!/usr/bin/env bash
# Builds and tests in every way that the normal set (`test`) or the whole set (`all`) asks for; sums up at the end.
# A part that fails does not keep the others from being run.
#
# usage: tools/test.sh test|all
set -uo pipefail
cd "$(dirname "$0")/.."

jobs=$(nproc)
# The labels of the tests that exercise the heap most, for builds that are slower or not what users run.
heap_kinds='^(unit|conformance|stress|limits|fuzz)$'
names=() results=() times=()
failed=0

# Runs one part: its name, then the command.
part() {
    local name=$1 begun=$SECONDS result=passed
    shift
    printf '\n==== %s ====\n' "$name"
    if ! "$@"; then
        result=FAILED
        failed=1
    fi
    names+=("$name") results+=("$result") times+=($((SECONDS - begun)))
}

# The thread sanitizer of g++ 12 cannot cope with addresses as random as newer kernels make them. A container
# may forbid to turn that off; then it is tried as it is.
steady_addresses() {
    if setarch --addr-no-randomize true 2>/dev/null; then setarch --addr-no-randomize "$@"; else "$@"; fi
}

# One more at a time than there are processors: some tests wait for memory to be given back.
run_ctest() {
    local preset=$1 around=()
    shift
    if [[ $preset == tsan ]]; then around=(steady_addresses); fi
    "${around[@]}" ctest --test-dir "build/$preset" --output-on-failure --no-tests=error \
        --progress --parallel $((jobs + 1)) "$@"
}

build_and_test() {
    local preset=$1
    shift
    tools/build.sh "$preset" && run_ctest "$preset" "$@"
}

# The programs that release has built run once more under the library that checks itself: the contract and the random
# sequences here, all the rest in test-all.
heap_in_debug() {
    tools/build.sh debug abut &&
        run_ctest release --label-regex '^debug$' --tests-regex '^debug\.(conformance|fuzz)\.' \
            --exclude-regex 'RefusesAndRecovers/16$'
}

# Programs whose nodes move take longer to build than all others: the tests that run those are marked as long.
command_line() {
    tools/build.sh release bench-programs >build/bench-programs.log &&
        .venv/bin/python -m pytest --quiet --numprocesses "$jobs" --dist loadfile "$@"
}

# Each with each parameter that the experiments know: all must compute the same.
every_mover() {
    tools/build.sh release abut_native &&
        .venv/bin/abut paper adcock --suite tiny --traces build/movers >build/movers.txt
}

packages() {
    tools/dist.sh && tests/install/dist.sh build/dist
}

summary() {
    printf '\n==== summary ====\n'
    for ((i = 0; i < ${#names[@]}; ++i)); do
        printf '%-50s %-7s %4d s\n' "${names[i]}" "${results[i]}" "${times[i]}"
    done
    printf '%-50s %-7s %4d s\n' "all" "$([[ $failed == 0 ]] && echo passed || echo FAILED)" "$SECONDS"
}

case ${1:-} in
test)
    part "release: all tests but the long ones" build_and_test release --label-exclude '^(long|debug)$'
    part "the command line" command_line -m "not long"
    part "debug: the heap checks itself" heap_in_debug
    ;;
all)
    part "release: all tests" build_and_test release --label-exclude '^debug$'
    part "programs whose nodes move" tools/build.sh release bench-move
    part "the command line" command_line
    part "every mover of nodes" every_mover
    part "debug: the heap checks itself" build_and_test debug
    part "built with clang, and fuzzed" build_and_test clang --label-regex "$heap_kinds|^long$"
    part "unit tests under the address sanitizer" build_and_test asan
    part "unit tests under the undefined-behaviour sanitizer" build_and_test ubsan
    part "unit tests under the thread sanitizer" build_and_test tsan
    part "the pages" tools/docs.sh
    part "packages" packages
    part "lint" tools/lint.sh
    ;;
*)
    echo "test.sh: say 'test' or 'all'" >&2
    exit 2
    ;;
esac
summary
exit "$failed"
