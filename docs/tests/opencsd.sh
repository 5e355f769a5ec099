#!/bin/sh
# opencsd.sh PROGRAM SOURCE_FOLDER [PATTERN]: OpenCSD agrees with the reference decoder but for what the
# examples list, over some of the vectors of ETE and the generated traces; over all of them with the
# pattern "*", in some minutes.
set -eu
program=$1
examples=$2/docs/examples/decoder
for tool in trc_pkt_lister python3; do
    command -v "$tool" >/dev/null || { echo "skipped: there is no $tool" && exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$program" corpus export --format ete "$work/vectors" >/dev/null
compare() {
    "$program" compare --decoder "python3 $examples/opencsd.py {}" --jobs 2 --timeout 60 --only "$1" \
        --expected "$examples/opencsd.expected.yaml" "$work/vectors"
}
if [ $# -gt 2 ]; then
    compare "$3"
else
    compare "decode.[aeq]*-00[1-4]"
    compare "generated-*"
fi
