#!/bin/bash
# versions.sh ASSAY WORKLOADS: the reference encoders are certified by today's revisions, too: STF 1.6, E-Trace 2.0,
# which the claims name. A trace of the other version is refused.
set -euo pipefail
assay=$(realpath "$1") workloads=$(realpath "$2")
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cd "$out"
failed=0
for workload in flow memory vectors traps interrupts; do
    [ -e "$workloads/$workload-riscv64.exec" ] || {
        echo "skipped: no recording of $workload (cross compilers, QEMU)"
        exit 77
    }
    cp "$workloads/$workload-riscv64.exec" $workload.exec
    "$assay" generate --format stf --profile stf-1.6 --vlen 128 --execution $workload.exec -o $workload.stf
    "$assay" generate --format etrace --ratified --execution $workload.exec -o $workload.bin \
        --manifest-output $workload.assay.yaml
done

# certified STATUS FORMAT VERSION WORKLOADS
certified() {
    local status=0 workload
    printf 'submission: 1\nproducer: {name: p, version: "1"}\nclaims: {format: %s, profile: %s, version: %s, level: machine}\ntraces:\n' \
        "$2" "$2" "$3" >s.yaml
    for workload in $4; do
        if [ "$2" = stf ]; then
            echo "  - {trace: $workload.stf, workload: $workload, execution: $workload.exec}"
        else
            echo "  - {trace: $workload.assay.yaml, workload: $workload}"
        fi
    done >>s.yaml
    rm -rf certificate
    "$assay" certify s.yaml -o certificate >text 2>&1 || status=$?
    if [ $status -ne "$1" ]; then
        echo "$2 of $3: it ended with $status, not with $1"
        cat text
        failed=1
    else
        echo "$2 of $3: $(head -n 1 text)"
    fi
}

certified 0 stf stf-1.6 "flow memory vectors traps interrupts"
certified 0 etrace etrace-2.0 "flow memory traps interrupts"
certified 1 stf stf-1.3 "flow memory vectors traps interrupts"
grep -q 'NO  version\|it was judged as\|NO  rules' text || { echo "the version is not refused"; cat text; failed=1; }
exit $failed
