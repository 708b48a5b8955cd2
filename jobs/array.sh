#!/usr/bin/env bash
# One sweep as an array of SLURM jobs, each with a slice of the tasks and resuming by itself, and a
# job that merges their archives into OUT when all are there:
#   jobs/array.sh SLICES [sbatch options] -- CONFIG OUT [options of fairfront run]
# The slices are OUT.slice-0.h5 ... (OUT without its .h5). The sbatch options hold for every slice;
# the merge takes them, too, but one task. One slice again, here 3 of 8:
#   sbatch --array=3 [sbatch options] jobs/fairfront.sbatch FAIRFRONT_SLICES=8 CONFIG OUT ...
# Environment: as for jobs/fairfront.sbatch.
set -euo pipefail
if [[ ${1:-} == --help ]]; then
  sed -n '2,/^set /s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
  exit
fi
jobs=$(dirname "${BASH_SOURCE[0]}")

usage() {
  echo "usage: $0 SLICES [sbatch options] -- CONFIG OUT [options of fairfront run]" >&2
  exit 2
}

[[ ${1:-} =~ ^[1-9][0-9]*$ ]] || usage
count=$1
shift
options=()
while [[ $# -gt 0 && $1 != -- ]]; do
  options+=("$1")
  shift
done
[[ $# -ge 3 ]] || usage
shift  # the --
output=$2

# As arguments, since sbatch's --export may keep the environment from the jobs.
settings=("FAIRFRONT_SLICES=$count")
for name in FAIRFRONT FAIRFRONT_LAUNCH FAIRFRONT_RESTARTS FAIRFRONT_PAUSE; do
  [[ -z ${!name:-} ]] || settings+=("$name=${!name}")
done
array=$(sbatch --parsable "${options[@]}" --array="0-$((count - 1))" \
  "$jobs/fairfront.sbatch" "${settings[@]}" "$@")
array=${array%;*}  # without the name of the cluster
echo "array job $array: $count slices"

slices=()
for ((slice = 0; slice < count; ++slice)); do
  slices+=("${output%.h5}.slice-$slice.h5")
done
program=${FAIRFRONT:-$(command -v fairfront || echo build/release/fairfront)}
# A script of bash: what %q makes of a name that is not ASCII, sh need not read.
merge=$(printf '#!/usr/bin/env bash\nexec %s\n' \
  "$(printf '%q ' "$program" merge "${slices[@]}" -o "$output")" |
  sbatch --parsable "${options[@]}" --job-name=fairfront-merge --nodes=1 --ntasks=1 \
    --dependency="afterok:$array" --kill-on-invalid-dep=yes)
echo "merge job ${merge%;*}: $output"
