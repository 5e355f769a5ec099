#!/bin/bash
# rtl_encoder.sh ASSAY SIMULATION PROGRAMS: the encoder in RTL of docs/examples/etrace-encoder, under
# test as docs/formats/etrace.md describes it. Driven by records of a machine with traps and of a
# program in user mode it sends the bytes of the reference encoder, and they conform. With a planted
# fault its stream is found to violate a rule, with what it comes from.
set -euo pipefail
assay=$1
simulation=$2
programs=$3
recorder=$ASSAY_BUILD/generators/recorder/libassay-recorder.so
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

skip() {
    echo "skipped: $1"
    exit 77
}

fail() {
    echo "$1"
    cat "$out/text"
    exit 1
}

# run TEXT COMMAND...
run() {
    local text=$1
    shift
    "$@" >"$out/text" 2>&1 || fail "$text failed"
}

record_machine() {
    qemu-system-riscv64 -M virt -m 128M -bios none -display none -serial none -monitor none \
        -icount shift=0,sleep=off -kernel "$programs/levels-riscv64" -plugin \
        "$recorder,out=machine.exec,ram=0x80000000+0x8000000,blocks=0x80007000,limit=20000"
}

record_user() {
    qemu-riscv64 -plugin "$recorder,out=user.exec,limit=100000" "$programs/sorts-riscv64"
}

# simulate PROGRAM [OPTION]...: makes rtl.bin and rtl.assay.yaml
simulate() {
    local program=$1
    shift
    run "the simulation" "$simulation" +record="$program.csv" +packets=rtl.bin \
        +manifest=rtl.assay.yaml +image="$program.elf" "$@"
}

# conforms PROGRAM RESYNC: 0 for no resynchronisation
conforms() {
    local resync=(--resync "$2")
    [ "$2" -gt 0 ] || resync=()
    run "assay generate" "$assay" generate --format etrace --execution "$1.exec" "${resync[@]}" \
        -o "$1.bin" --manifest-output "$1.assay.yaml" --execution-output "$1.csv"
    simulate "$1" +max_resync="$2"
    run "comparing with the reference encoder" cmp "$1.bin" rtl.bin
    run "assay check" "$assay" check rtl.assay.yaml
}

# finds FAULT PROGRAM RULE [DIAGNOSIS]
finds() {
    local status=0
    simulate "$2" +fault="$1"
    "$assay" check rtl.assay.yaml >"$out/text" || status=$?
    [ "$status" -eq 1 ] || fail "$1: assay check ended with $status instead of 1"
    grep -Eq "^ +[0-9]+\.  must  .*$3" "$out/text" || fail "$1: $3 is not violated"
    [ -z "${4:-}" ] || grep -q "($4," "$out/text" || fail "$1: $4 does not say what it comes from"
}

[ -n "$simulation" ] || skip "there is no Verilator 5 (package verilator), or no make"
[ -e "$recorder" ] || skip "the recorder was not built"
[ -x "$programs/levels-riscv64" ] || skip "no cross compiler for riscv64"
command -v qemu-riscv64 >/dev/null || skip "no QEMU user mode (package qemu-user)"
command -v qemu-system-riscv64 >/dev/null || skip "no QEMU for machines (package qemu-system-misc)"

cd "$out"
run "recording a machine" record_machine
run "recording a program" record_user
for program in machine user; do
    for resync in 0 1 100; do
        conforms "$program" "$resync"
    done
done
finds ZERO_EXTENSION user ETR-0202 ETR-0309
finds BRANCH_TWICE user ETR-0202 ETR-0303
finds BEFORE_TRAP machine ETR-0666
finds UPDISCON user ETR-0201 ETR-0300
finds RESYNC machine ETR-0201 ETR-0302
finds RESYNC user ETR-0201 ETR-0302
finds PRIVILEGE machine ETR-0654 ETR-0330
finds LAST user ETR-0102
