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
# In memory where there is room: to remove thousands of files from a disk can take minutes.
room=$(df --output=avail -k /dev/shm 2>/dev/null | tail -n 1)
work=$(mktemp -d -p "$([ "${room:-0}" -gt 2000000 ] && echo /dev/shm || echo "${TMPDIR:-/tmp}")")
# Debian's own, where there are others: it has the modules of scripts/packages.
python=$([ -x /usr/bin/python3 ] && echo /usr/bin/python3 || echo python3)
trap 'rm -rf "$work"' EXIT
"$program" corpus export --format ete "$work/vectors" >/dev/null
# One process for all traces; with {} one for each.
compare() { # ARGUMENTS OPTION... of the decoder, and of the comparison
    arguments=$1
    shift
    "$program" compare --isolation none --decoder "$python $examples/opencsd.py$arguments" --jobs 2 --timeout 60 --report text "$@" \
        --expected "$examples/opencsd.expected.yaml" "$work/vectors"
}
if [ $# -gt 2 ]; then
    compare "" --persistent --only "$3"
else
    compare "" --persistent --only "decode.[aeq]*-00[1-4]" --only "generated-*" --report "json=$work/stays"
    compare " {} {manifest}" --only "decode.[aeq]*-00[1-4]" --only "generated-*" --report "json=$work/each"
    for report in stays each; do
        grep '"vector":' "$work/$report" >"$work/$report.vectors"
    done
    cmp "$work/stays.vectors" "$work/each.vectors"
fi
[ "$(wc -l <"$examples/opencsd.py")" -le 60 ]
