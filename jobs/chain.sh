#!/usr/bin/env bash
# For sites where jobs must not requeue themselves: submits JOBS jobs at once, each of which begins
# only if all before it have ended without the archive, and goes on where they ended. Those that are
# not needed are cancelled by SLURM.
#   jobs/chain.sh JOBS [sbatch options] -- CONFIG OUT [options of fairfront run]
# Environment: as for jobs/fairfront.sbatch.
set -euo pipefail
jobs=$(dirname "${BASH_SOURCE[0]}")

usage() {
  echo "usage: $0 JOBS [sbatch options] -- CONFIG OUT [options of fairfront run]" >&2
  exit 2
}

[[ ${1:-} =~ ^[1-9][0-9]*$ ]] || usage
count=$1
shift
options=(--no-requeue)
while [[ $# -gt 0 && $1 != -- ]]; do
  options+=("$1")
  shift
done
[[ $# -ge 3 ]] || usage
shift  # the --

# As arguments, since sbatch's --export may keep the environment from the jobs.
settings=(FAIRFRONT_RESTARTS=0)
for name in FAIRFRONT FAIRFRONT_LAUNCH; do
  [[ -z ${!name:-} ]] || settings+=("$name=${!name}")
done
earlier=""
for ((i = 0; i < count; ++i)); do
  dependency=()
  if [[ -n $earlier ]]; then
    # After all of them: the one before may have been cancelled because the archive was there.
    dependency=("--dependency=afternotok$earlier" --kill-on-invalid-dep=yes)
  fi
  job=$(sbatch --parsable "${options[@]}" "${dependency[@]}" "$jobs/fairfront.sbatch" \
    "${settings[@]}" "$@")
  earlier+=:${job%;*}  # without the name of the cluster
done
echo "jobs ${earlier//:/ }"
