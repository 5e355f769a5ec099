# What the scripts share. To be sourced; goes to the root of the tree.
# shellcheck shell=bash
set -euo pipefail
shopt -s inherit_errexit
export ASSAY_STARTED_IN=${ASSAY_STARTED_IN:-$PWD}
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export LC_ALL=C

die() {
    echo "$(basename "$0"): $*" >&2
    exit 1
}

# Whose turn it is of what takes turns: the number of the commit, so that turns follow one another; of a shallow
# clone, which does not know it, a number that is another one with each commit.
turn_of_commit() {
    local commit
    if [ "$(git rev-parse --is-shallow-repository 2>/dev/null)" = false ]; then
        git rev-list --count HEAD
    else
        commit=$(git rev-parse HEAD 2>/dev/null) || commit=0
        echo $((16#${commit:0:7}))
    fi
}

now_ms() {
    date +%s%3N
}

seconds_since() {
    local ms=$(($(now_ms) - $1))
    printf '%d.%d s' $((ms / 1000)) $((ms % 1000 / 100))
}

# step TEXT COMMAND...: runs a command after a line that says what it is and how long it took.
# What the command prints is shown only when it fails.
step() {
    local text=$1 start log status=0
    shift
    start=$(now_ms)
    log=$(mktemp)
    printf '  %-62s ' "$text"
    "$@" >"$log" 2>&1 || status=$?
    if [ "$status" -eq 0 ]; then
        printf '%9s\n' "$(seconds_since "$start")"
    else
        printf '   failed\n'
        cat "$log" >&2
    fi
    rm -f "$log"
    return "$status"
}

build() {
    step "configure ($1)" cmake --preset "$1" &&
        step "build ($1)" cmake --build --preset "$1"
}
