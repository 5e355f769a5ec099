#!/bin/sh
# The Slurm array job of docs/examples/farm, on a Slurm of its own on this machine: its report is that
# of one run. Skipped (77) where Slurm or MUNGE are not installed, or the user is not root.
#
# usage: slurm.sh PROGRAM SOURCE_FOLDER
set -eu
for program in slurmctld slurmd munged sbatch squeue munge; do
    if ! command -v $program >/dev/null; then
        echo "skipped: there is no $program"
        exit 77
    fi
done
[ "$(id -u)" = 0 ] || { echo "skipped: slurmd runs as root"; exit 77; }
program=$1
farm=$2/docs/examples/farm
work=$(mktemp -d)
munge_started=no
stop() {
    for daemon in slurmd slurmctld; do
        [ ! -s "$work/$daemon.pid" ] || kill "$(cat "$work/$daemon.pid")" || true
    done
    [ $munge_started = no ] || runuser -u munge -- munged --stop >/dev/null || true
    rm -rf "$work"
}
trap stop EXIT
trap 'exit 1' HUP INT TERM
chmod 755 "$work"
mkdir "$work/bin" "$work/state" "$work/spool" "$work/run" "$work/run/traces" "$work/run/parts"
ln -s "$program" "$work/bin/assay"
PATH=$work/bin:$PATH
SLURM_CONF=$work/slurm.conf
export PATH SLURM_CONF

# Ports of its own, so that a Slurm that runs is not disturbed.
sed "s,HOST,$(hostname),; s,FOLDER,$work,; s/16817/26817/; s/16818/26818/" "$farm/slurm.conf" >"$SLURM_CONF"
if ! munge -n >/dev/null 2>&1; then
    install -d -o munge -g munge /run/munge
    runuser -u munge -- munged
    munge_started=yes
fi
slurmctld
slurmd
wait=0
until sinfo --noheader --states=idle | grep -q idle || [ $wait = 20 ]; do
    wait=$((wait + 1))
    sleep 1
done

cd "$work/run"
for i in 1 2 3 4 5 6; do
    assay generate --format astf --seed $i --events $((i * 500)) --output traces/$i.astf
done
head -c 410 traces/6.astf >traces/cut.astf
assay check traces --report json=whole.json --quiet || true
job=$(sbatch --parsable --array=1-3 "$farm/assay.sbatch" 3 traces)
sbatch --dependency=afterany:"$job" "$farm/merge.sbatch"
wait=0
while [ -n "$(squeue --noheader)" ] && [ $wait -lt 60 ]; do
    wait=$((wait + 1))
    sleep 1
done
cat merge.log
for report in whole report; do
    sed '/^  "environment"/,$d' $report.json >$report
done
cmp whole report
