#!/bin/bash
# own_programs.sh ASSAY FOLDER: what the guide says of a first program of one's own. scripts/record
# records it, linked dynamically and statically, its trace conforms, and nothing is missing; recorded
# without the script, the trace lacks what DC ZVA writes, and assay generate says so.
set -euo pipefail
assay=$1
folder=$2
script=$(cd "$(dirname "$0")/../../.." && pwd)/scripts/record
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# skip TEXT: without a compiler or QEMU there is nothing to test.
skip() {
    echo "skipped: $1"
    exit 77
}

expect() {
    local wanted=$1 status=0
    shift
    "$@" >"$out/text" 2>&1 || status=$?
    if [ "$status" -ne "$wanted" ]; then
        echo "$* ended with $status, not $wanted"
        cat "$out/text"
        exit 1
    fi
}

# conforms FORMAT PROGRAM
conforms() {
    expect 0 "$script" "$out/run.exec" "$folder/$2"
    expect 0 "$assay" generate --format "$1" --execution "$out/run.exec" -o "$out/run.trace"
    expect 0 "$assay" check --execution "$out/run.exec" "$out/run.trace"
}

[ -e "$ASSAY_BUILD/generators/recorder/libassay-recorder.so" ] || skip "the recorder was not built"
for isa in aarch64 riscv64; do
    [ -x "$folder/own-$isa" ] || skip "no cross compiler for $isa"
    command -v qemu-$isa >/dev/null || skip "no QEMU user mode (package qemu-user)"
done
conforms astf own-aarch64
conforms astf own-static-aarch64
conforms stf own-riscv64
expect 0 qemu-aarch64 -cpu max,sve=off \
    -plugin "$ASSAY_BUILD/generators/recorder/libassay-recorder.so,out=$out/plain.exec" \
    "$folder/own-static-aarch64"
expect 4 "$assay" generate --execution "$out/plain.exec" -o "$out/plain.astf"
grep -q 'does not show the accesses' "$out/text"
expect 1 "$assay" check --verbose --execution "$out/plain.exec" "$out/plain.astf"
grep -q 'cache operations by address' "$out/text"
