#!/bin/bash
# rtl_judge.sh ASSAY SIMULATION PROGRAMS: the judge in the simulation (docs/examples/dpi). A stream
# that conforms is simulated to its end, with and without the record of the interface; with a planted
# fault the simulation ends in the cycle in which assay check finds the first violation of what was
# written until then.
set -euo pipefail
# shellcheck source=generators/etrace/tests/rtl.sh
source "$(dirname "$0")/rtl.sh"

# stops FAULT RULE: the simulation does, with this rule and its place.
stops() {
    local status=0 place
    "$simulation" +record=machine.csv +packets=rtl.bin +manifest=rtl.assay.yaml +image=machine.elf \
        +config=rtl.yaml +fault="$1" >"$out/text" 2>&1 || status=$?
    [ "$status" -ne 0 ] || fail "$1: the simulation went on"
    grep -qE "^[0-9]+: $2 \(ETR-.*\) at byte [0-9]+, " "$out/text" || fail "$1: $2 is not reported"
    grep -q '^simulation: violates etrace-1.1.1: 1 must rule failed, 1 violation$' "$out/text" ||
        fail "$1: the report is of another violation"
    place=$(sed -n "s/^[0-9]*: $2 .* at byte \([0-9]*\), .*/\1/p" "$out/text")
    # Without the judge all is written. The first violation of all is the same.
    simulate machine +fault="$1"
    sed -i '/^execution/d' rtl.assay.yaml
    "$assay" check rtl.assay.yaml >all.txt || :
    [ "$(sed -nE 's/.*at byte 0x[0-9a-f]+ \(([0-9]+)\).*/\1/p' all.txt | sort -n | head -n 1)" = "$place" ] ||
        fail "$1: there is an earlier violation than that at byte $place"
}

run "recording a machine" record_machine
run "assay generate" "$assay" generate --format etrace --execution machine.exec --resync 100 \
    -o machine.bin --manifest-output machine.assay.yaml --execution-output machine.csv
for execution in '' +execution=machine.csv; do
    simulate machine +config=rtl.yaml $execution
    grep -q '^simulation: conforms to etrace-1.1.1' "$out/text" || fail "the stream does not conform"
    cmp machine.bin rtl.bin
done
stops RESYNC ETR-0201
stops BEFORE_TRAP ETR-0225
