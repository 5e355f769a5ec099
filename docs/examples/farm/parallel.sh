#!/bin/sh
# Judges traces in parts, several at a time on this machine, by GNU parallel; then makes one report.
#
# usage: parallel.sh PARTS INPUT... [OPTION of assay check]...
#
# JOBS: how many parts at a time (default: one for each processor). Take some times as many parts as
# jobs, so that none is idle for long. Run it again after it was ended: what was judged is in cache/.
set -eu
parts=$1
shift
mkdir -p parts
rm -f parts/*.json
# What a part fails by is in parts/log; where it wrote no report, merging says so. An input that cannot
# be read (3) is in the report.
seq "$parts" | parallel --quote --jobs "${JOBS:-$(nproc)}" --joblog parts/log \
    assay check --verdict-exit 0 --quiet --cache cache --shard "{}/$parts" \
    --report json="parts/{}.json" "$@" || true
exec assay merge --output report.json --report html=report.html --report text parts/*.json
