#!/bin/bash
# idle.sh ASSAY RECORDER WORKLOADS: `interrupts` goes on after its end, in a jump to itself that timer
# interrupts leave for their handler. Traces of E-Trace do not show how often it was executed: they conform
# with a recording of that.
set -euo pipefail
assay=$(realpath "$1") recorder=$(realpath "$2") workload=$(realpath "$3")/interrupts-riscv64
if [ ! -e "$workload" ] || ! command -v qemu-system-riscv64 >/dev/null; then
    echo "skipped: no interrupts-riscv64 (cross compilers), or no QEMU"
    exit 77
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cd "$out"
blocks=0x$(readelf -sW "$workload" | awk '$8 == "blocks" { print $2 }')

# record FILE: its 34,000 instructions, and 26,000 in the loop and in handlers.
record() {
    timeout 120 qemu-system-riscv64 -M virt -bios none -display none -serial none -monitor none -nic none -m 128M \
        -icount shift=0,sleep=off -kernel "$workload" \
        -plugin "$recorder,out=$1,ram=0x80000000+0x8000000,blocks=$blocks,limit=60000" 2>messages ||
        { cat messages; exit 1; }
}

# judge OPTION...: with the recording, and with the record of the interface.
judge() {
    local output
    for output in "" record.csv; do
        "$assay" generate --format etrace --execution idle.exec "$@" -o trace --manifest-output trace.assay.yaml \
            ${output:+--execution-output "$output"} >text 2>&1 &&
            "$assay" check --fail-on should trace.assay.yaml >text 2>&1 || {
            echo "conforms not, with ${output:-the recording}: $*"
            cat text
            exit 1
        }
    done
}

record idle.exec
judge
judge --resync 50
judge --resync 1 --return-stack --ratified
judge --predictor 4 --target-cache 2 --sequential-jumps --full-addresses
judge --gaps 300 --return-stack --resync 20
