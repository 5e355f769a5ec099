#!/bin/bash
# rtl_encoder.sh ASSAY SIMULATION PROGRAMS: the encoder in RTL of docs/examples/etrace-encoder, under
# test as docs/formats/etrace.md describes it. Driven by records of a machine with traps and of a
# program in user mode it sends the bytes of the reference encoder, and they conform. With a planted
# fault its stream is found to violate a rule, with what it comes from.
set -euo pipefail
# shellcheck source=generators/etrace/tests/rtl.sh
source "$(dirname "$0")/rtl.sh"

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
