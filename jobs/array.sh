#!/usr/bin/env bash
# One sweep as an array of SLURM jobs, each with a slice of the tasks and resuming by itself, and a
# job that merges their archives into OUT when all are there:
#   jobs/array.sh SLICES [sbatch options] -- CONFIG OUT [options of fairfront run]
# The slices are OUT.slice-0.h5 ... (OUT without its .h5). The sbatch options hold for every slice;
# the merge takes them, too, but one task. One slice again, here 3 of 8:
#   FAIRFRONT_SLICES=8 sbatch --array=3 [sbatch options] jobs/fairfront.sbatch CONFIG OUT ...
# Environment: as for jobs/fairfront.sbatch.
set -euo pipefail
jobs=$(dirname "${BASH_SOURCE[0]}")

usage() {
  echo "usage: $0 SLICES [sbatch options] -- CONFIG OUT [options of fairfront run]" >&2
  exit 2
}

[[ ${1:-} =~ ^[1-9][0-9]*$ ]] || usage
export FAIRFRONT_SLICES=$1
shift
options=()
while [[ $# -gt 0 && $1 != -- ]]; do
  options+=("$1")
  shift
done
[[ $# -ge 3 ]] || usage
shift  # the --
output=$2

array=$(sbatch --parsable "${options[@]}" --array="0-$((FAIRFRONT_SLICES - 1))" \
  "$jobs/fairfront.sbatch" "$@")
array=${array%;*}  # without the name of the cluster
echo "array job $array: $FAIRFRONT_SLICES slices"

slices=()
for ((slice = 0; slice < FAIRFRONT_SLICES; ++slice)); do
  slices+=("${output%.h5}.slice-$slice.h5")
done
program=${FAIRFRONT:-$(command -v fairfront || echo build/release/fairfront)}
merge=$(sbatch --parsable "${options[@]}" --job-name=fairfront-merge --nodes=1 --ntasks=1 \
  --dependency="afterok:$array" --kill-on-invalid-dep=yes \
  --wrap "$(printf '%q ' "$program" merge "${slices[@]}" -o "$output")")
echo "merge job ${merge%;*}: $output"
