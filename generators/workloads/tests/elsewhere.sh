#!/bin/bash
# elsewhere.sh ASSAY TWO_THREADS WORKLOADS: a workload shows nothing of a trace where it is in another thread of
# the recording, before or after what was traced, or in what a filter left out.
set -euo pipefail
assay=$(realpath "$1") two_threads=$(realpath "$2") workload=$(realpath "$3")/flow-riscv64-linux
if [ ! -e "$workload.exec" ]; then
    echo "skipped: no recording of flow-riscv64-linux (cross compilers, QEMU)"
    exit 77
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cd "$out"
"$two_threads" "$workload.exec" both.exec
cp "$workload.exec" flow.exec
failed=0

# Profiles that demand nothing but the workload.
for format in stf etrace; do
    cat >$format.profile.yaml <<END
certification: 1
name: $format
title: Traces of the workload
format: $format
levels:
  - name: any
    workloads: [flow]
    sentences: [{says: The workload was traced., exercise: [{rules: "level:must", of: 1}]}]
END
done

# submit FORMAT TRACE [MORE]: what the certificate has of the workload, true or false.
submit() {
    printf 'submission: 1\nproducer: {name: p, version: "1"}\nclaims: {format: %s, profile: %s, level: any}\n' "$1" "$1" >s.yaml
    printf 'traces:\n  - {trace: %s, workload: flow%s}\n' "$2" "${3:-}" >>s.yaml
    rm -rf certificate
    "$assay" certify s.yaml --profile $1.profile.yaml -o certificate >text 2>&1 || true
    grep -o '"workload_shown": [a-z]*' certificate/certificate.json | sed 's/.* //'
}

# expect WANTED WHAT FORMAT TRACE [MORE]
expect() {
    local shown
    shown=$(submit "${@:3}")
    if [ "$shown" != "$1" ] || { [ "$1" = false ] && grep -q '^CERTIFIED' text; }; then
        echo "$2: workload_shown is $shown"
        cat text
        failed=1
    else
        echo "$2: $(grep '^  NO  workload' text || echo shown)"
    fi
}

"$assay" generate --format stf --execution both.exec --thread 1 -o busy.stf
"$assay" generate --format stf --execution both.exec --thread 0 -o idle.stf
expect true "the thread of the workload" stf busy.stf ", execution: both.exec"
expect false "another thread" stf idle.stf ", execution: both.exec"

"$assay" generate --format stf --execution flow.exec -o whole.stf
"$assay" generate --format stf --execution flow.exec --events 500 -o part.stf
expect true "the whole" stf whole.stf ", execution: flow.exec"
expect false "a part, and the workload after it" stf part.stf ", execution: flow.exec"

"$assay" generate --format etrace --execution flow.exec -o whole.bin --manifest-output whole.assay.yaml
"$assay" generate --format etrace --execution flow.exec --gaps 20 --seed 1 -o filter.bin \
    --manifest-output filter.assay.yaml
expect true "without a filter" etrace whole.assay.yaml
expect false "a filter leaves parts out" etrace filter.assay.yaml
exit $failed
