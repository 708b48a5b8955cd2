#!/usr/bin/env bash
# End to end: the paper's Adult K = 10 run on one and on two ranks, in turn. Prints the seconds of
# every run and the ratio of the best ones; fails when the two archives do not have one digest.
#   tests/bench/adult.sh PROGRAM DATA_DIR [REPEATS]
set -euo pipefail
program=$1 data=$2 repeats=${3:-3}
config=$(dirname "${BASH_SOURCE[0]}")/../../configs/clustering/adult-k10.ini
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if [[ $EUID -eq 0 ]]; then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi

# seconds RANKS: wall clock of one whole run
seconds() {
  local begin=$EPOCHREALTIME
  mpirun -n "$1" "$program" run "$config" --data-dir "$data" -o "$folder/$1.h5" --force --quiet
  awk -v b="$begin" -v e="$EPOCHREALTIME" 'BEGIN { printf "%.2f\n", e - b }'
}
# digest RANKS
digest() { "$program" verify "$folder/$1.h5" | sed 's/.*digest //'; }

declare -A best=([1]=1e9 [2]=1e9)
for ((i = 0; i < repeats; i++)); do
  for ranks in 1 2; do
    now=$(seconds "$ranks")
    echo "$ranks ranks: $now s"
    best[$ranks]=$(awk -v a="${best[$ranks]}" -v b="$now" 'BEGIN { print a < b ? a : b }')
  done
done
awk -v a="${best[1]}" -v b="${best[2]}" 'BEGIN { printf "2 ranks are %.2f times as fast\n", a / b }'
[[ $(digest 1) == "$(digest 2)" ]] || { echo "the digests differ" >&2; exit 1; }
