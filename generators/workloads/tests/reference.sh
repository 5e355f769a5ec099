#!/bin/bash
# reference.sh ASSAY RECORDER WORKLOADS SOURCES COMPILER: a trace of a workload is compared with Assay's own
# recording where the producer hands that in, or one with the same digest; of a program that is linked
# elsewhere with what executing it again confirms. The recording of another program than the one that is
# handed in is refused, whatever the trace says.
set -euo pipefail
assay=$(realpath "$1") recorder=$(realpath "$2") workloads=$(realpath "$3") sources=$(realpath "$4") compiler=$5
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cd "$out"
failed=0

cat >profile.yaml <<'END'
certification: 1
name: compared
title: What was executed
format: etrace
levels:
  - name: all
    sentences: [{says: All that was executed is there., covered: 100, exercise: [{rules: "ETR-0703"}]}]
END

# hand_in PROGRAM RECORDING: a trace of the recording, with the program as its image.
hand_in() {
    cp "$1" program
    cp "$2" recording
    "$assay" generate --format etrace --execution recording -o trace.bin \
        --manifest-output made.assay.yaml >/dev/null
    sed 's/^images:.*/images: [{file: program}]/' made.assay.yaml >trace.assay.yaml
    printf '%s\n' 'submission: 1' 'producer: {name: reference encoder, version: "1"}' \
        'claims: {format: etrace, profile: compared, level: all}' \
        'traces: [{trace: trace.assay.yaml, workload: flow}]' >submission.yaml
}

# expect STATUS RECORDING [OPTION...]
expect() {
    local wanted=$1 recording=$2 status=0
    shift 2
    rm -rf certificate
    "$assay" certify submission.yaml --profile profile.yaml -o certificate "$@" >text 2>&1 || status=$?
    if [ "$status" -ne "$wanted" ] || ! grep -q "\"recording\": \"$recording\"" certificate/certificate.json; then
        echo "status $status, not $wanted, or another recording than of $recording:"
        cat text
        failed=1
    fi
}

flow=$workloads/flow-riscv64-linux
[ -e "$flow.exec" ] || { echo "skipped: no recording of flow-riscv64-linux (cross compilers, QEMU)" && exit 77; }
again="$sources/record $recorder {} -"

hand_in "$flow" "$flow.exec"
expect 0 workload
expect 0 workload --reference false\ {}

"$sources/record" "$recorder" "$flow" once.exec
hand_in "$flow" once.exec
expect 0 workload

"$compiler" -march=rv64gc -mabi=lp64d -nostdlib -static -fno-pie -no-pie -DLINUX -Wl,-Ttext-segment=0x200000 \
    "$sources/start_riscv.S" "$sources/flow_riscv.S" -o elsewhere
"$sources/record" "$recorder" elsewhere elsewhere.exec
hand_in elsewhere elsewhere.exec
expect 0 producer
expect 0 repeated --reference "$again"
"$assay" certify --verify certificate --allow-modified --traces . --reference "$again" | grep -q '^verified: certified' || failed=1

# One constant of the program is another one: the trace is that of its recording.
sed 's/^\( *li *t3\), 12$/\1, 11/' "$sources/flow_riscv.S" >other.S
! cmp -s other.S "$sources/flow_riscv.S" || { echo "nothing was changed" && exit 1; }
"$compiler" -march=rv64gc -mabi=lp64d -nostdlib -static -fno-pie -no-pie -DLINUX -Wl,--build-id=none -I "$sources" \
    "$sources/start_riscv.S" other.S -o other
"$sources/record" "$recorder" other other.exec || true
hand_in other other.exec
cp "$flow" program
expect 1 producer --reference "$again"
grep -q 'executed again came' text || { echo "the difference is not named" && cat text && failed=1; }
exit "$failed"
