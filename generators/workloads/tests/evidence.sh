#!/bin/bash
# evidence.sh ASSAY WRITE_SPIKE_LOG WORKLOADS: each form of evidence of what a hart executed carries a certificate of
# E-Trace: a recorded execution, a record of the interface of the hart, a table of retired instructions, a log of
# Spike. One that lacks what the level needs does not.
set -euo pipefail
assay=$(realpath "$1") write_spike_log=$(realpath "$2") workloads=$(realpath "$3")
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cd "$out"
failed=0

# A table of retired instructions, of the instructions that a trace leads to: of programs without traps.
table() {
    echo VALID,ADDRESS,INSN,PRIVILEGE,EXCEPTION,ECAUSE,TVAL,INTERRUPT
    "$assay" dump --layer instruction --json "$1" | awk '/"kind": "instruction"/ {
        match($0, /"word": [0-9]+/); word = substr($0, RSTART + 8, RLENGTH - 8)
        match($0, /"address": "0x[0-9a-f]+/); address = substr($0, RSTART + 14, RLENGTH - 14)
        printf "1,%s,%08x,3,0,0,0,0\n", address, word }'
}

for workload in flow memory traps interrupts; do
    [ -e "$workloads/$workload-riscv64.exec" ] || {
        echo "skipped: no recording of $workload (cross compilers, QEMU)"
        exit 77
    }
    cp "$workloads/$workload-riscv64.exec" $workload.exec
    "$assay" generate --format etrace --execution $workload.exec --execution-output $workload.csv \
        -o $workload.bin --manifest-output $workload.assay.yaml
    "$write_spike_log" $workload.exec $workload.log >traps
done
for workload in flow memory; do
    table $workload.assay.yaml >$workload.table
done

# certified STATUS LEVEL ENDING SHOWN WORKLOADS: the traces with the evidence of that ending; whether it shows which
# workloads they are of.
certified() {
    local status=0 workload
    printf 'submission: 1\nproducer: {name: p, version: "1"}\nclaims: {format: etrace, profile: etrace, level: %s}\ntraces:\n' \
        "$2" >$3.yaml
    for workload in $5; do
        sed "s/^execution: .*/execution: $workload.$3/; s/^thread: .*//" $workload.assay.yaml >$workload-$3.assay.yaml
        echo "  - {trace: $workload-$3.assay.yaml, workload: $workload}" >>$3.yaml
    done
    rm -rf certificate
    "$assay" certify $3.yaml -o certificate >text 2>&1 || status=$?
    if [ $status -ne "$1" ]; then
        echo "$2 with $3: it ended with $status, not with $1"
        cat text
        failed=1
    else
        echo "$2 with $3: $(head -n 1 text)"
    fi
    if [ "$(grep -o '"workload_shown": [a-z]*' certificate/certificate.json | sort -u)" != "\"workload_shown\": $4" ]; then
        echo "$2 with $3: the workloads are not $4"
        failed=1
    fi
}

program="flow memory"
machine="$program traps interrupts"
certified 0 program exec true "$program"
certified 0 program csv false "$program"
certified 0 program table false "$program"
certified 0 program log true "$program"
certified 0 machine exec true "$machine"
certified 0 machine csv false "$machine"
certified 0 machine log true "$machine"

# A recording of instructions alone, without traps and levels, carries no sentence about them.
for workload in traps interrupts; do
    table $workload.assay.yaml >$workload.table
done
certified 1 machine table false "$machine"
grep -q '  NO  exercise' text || { echo "the demand is not named"; cat text; failed=1; }
exit $failed
