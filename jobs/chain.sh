#!/usr/bin/env bash
# For sites where jobs must not requeue themselves, and for schedulers that cannot: submits JOBS jobs at
# once, each of which begins only if all before it have ended with another code than 0, and goes on where they
# ended. Those that are not needed are cancelled by the scheduler.
#   jobs/chain.sh JOBS [options of sbatch, qsub or flux batch] -- CONFIG OUT [options of fairfront run]
# Environment: as for jobs/fairfront.sbatch or, of PBS and Flux, jobs/batch.sh (FAIRFRONT_SECONDS is handed on), and
#   FAIRFRONT_SCHEDULER  slurm, pbs or flux: that whose command is on PATH
set -euo pipefail
if [[ ${1:-} == --help ]]; then
  sed -n '2,/^set /s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
  exit
fi
jobs=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

usage() {
  echo "usage: $0 JOBS [options of sbatch, qsub or flux batch] -- CONFIG OUT [options of fairfront run]" >&2
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

find_scheduler() {
  local name
  for name in slurm:sbatch pbs:qsub flux:flux; do
    if command -v "${name#*:}" >/dev/null; then
      echo "${name%:*}"
      return
    fi
  done
  echo "$0: there is no sbatch, qsub or flux on PATH" >&2
  exit 2
}

# submit CONFIG OUT...: prints the job's number. It begins after all of `earlier`: the one before may
# have been cancelled because the archive was there.
submit_slurm() {
  local dependency=() job
  [[ -z $earlier ]] || dependency=("--dependency=afternotok$earlier" --kill-on-invalid-dep=yes)
  job=$(sbatch --parsable --no-requeue "${options[@]}" "${dependency[@]}" "$jobs/fairfront.sbatch" \
    FAIRFRONT_RESTARTS=0 "${settings[@]}" "$@") || return
  echo "${job%;*}"  # without the name of the cluster
}
submit_pbs() {
  local dependency=()
  [[ -z $earlier ]] || dependency=(-W "depend=afternotok$earlier")
  qsub -r n "${options[@]}" "${dependency[@]}" -- "$jobs/batch.sh" "${settings[@]}" "$@"
}
submit_flux() {
  local dependency=() job
  for job in ${earlier//:/ }; do dependency+=("--dependency=afternotok:$job"); done
  flux batch "${options[@]}" "${dependency[@]}" "$jobs/batch.sh" "${settings[@]}" "$@"
}

scheduler=${FAIRFRONT_SCHEDULER:-$(find_scheduler)}
case $scheduler in
  slurm | pbs | flux) ;;
  *)
    echo "$0: FAIRFRONT_SCHEDULER is slurm, pbs or flux, not '$scheduler'" >&2
    exit 2
    ;;
esac
# As arguments, since the scheduler may keep the environment from the jobs.
settings=()
names=(FAIRFRONT FAIRFRONT_LAUNCH)
[[ $scheduler == slurm ]] || names+=(FAIRFRONT_SECONDS)  # SLURM signals the end itself
for name in "${names[@]}"; do
  [[ -z ${!name:-} ]] || settings+=("$name=${!name}")
done

earlier=""
for ((i = 0; i < count; ++i)); do
  if ! job=$("submit_$scheduler" "$@") || [[ -z $job ]]; then
    echo "$0: $scheduler has refused job $((i + 1)) of $count${earlier:+; submitted before it:${earlier//:/ }}" >&2
    exit 1
  fi
  earlier+=:$job
done
echo "jobs ${earlier//:/ }"
