#!/usr/bin/env bash
# One run of fairfront as one job of PBS, LSF or Flux (of SLURM: jobs/fairfront.sbatch):
#   qsub [options] -- "$PWD"/jobs/batch.sh [NAME=VALUE...] CONFIG OUT [run options]
#   bsub -Q "all ~0 ~1 ~2 ~4" [options] jobs/batch.sh [NAME=VALUE...] CONFIG OUT [run options]
#   flux batch [options] jobs/batch.sh [NAME=VALUE...] CONFIG OUT [run options]
# Each NAME has a default, and may also come from the environment:
#   FAIRFRONT          the program: 'fairfront' on PATH, else build/release/fairfront
#   FAIRFRONT_LAUNCH   what starts the ranks: 'mpirun'; of Flux 'flux run' on all cores of the job
#   FAIRFRONT_SECONDS  that the job may take: what the scheduler says
# Two minutes before its end the job begins no more tasks, stops those that run, and ends with code 3.
# Every start resumes. LSF puts the job back into the queue by -Q; elsewhere the same command goes on where
# this one ends, and jobs/chain.sh submits several that follow each other while work is left.
# Exit codes are those of fairfront: 0, 1, 2 and 4 are final.
set -euo pipefail
if [[ ${1:-} == --help ]]; then
  sed -n '2,/^set /s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
  exit
fi

readonly bad_input=2 interrupted=3 busy=6 notice=120

ranks='' woken=false terminated=false
say() {
  echo "$(date '+%F %T') job ${job:-?}: $*" >&2
}
# LSF says the end of the run limit by SIGUSR2. mpirun and flux run hand SIGUSR1 on to the ranks on all nodes.
trap 'woken=true; say "told to stop"; [[ -z $ranks ]] || kill -USR1 "$ranks" || true' USR1 USR2
# The schedulers send it to the ranks' launcher, too.
trap 'woken=true terminated=true' TERM

while [[ ${1:-} =~ ^FAIRFRONT(_LAUNCH|_SECONDS)?= ]]; do
  export "${1?}"
  shift
done
job=${PBS_JOBID:-${LSB_JOBID:-${FLUX_ENCLOSING_ID:-${FLUX_JOB_ID:-}}}}
if [[ -z $job || $# -lt 2 ]]; then
  echo "usage: in a job of PBS, LSF or Flux, $0 [NAME=VALUE...] CONFIG OUT [run options]" >&2
  exit "$bad_input"
fi
cd "${PBS_O_WORKDIR:-.}"  # PBS begins in the home folder
config=$1 output=$2
shift 2
options=("$@")

# Of [[H:]M:]S, or of LSF's H:M; false of anything else.
seconds_of() {
  [[ $1 =~ ^([0-9]+:)?([0-9]+:)?[0-9]+$ ]] || return 1
  local total=0 part
  for part in ${1//:/ }; do total=$((60 * total + 10#$part)); done
  echo "$total"
}

# Until the job ends; nothing where nobody says so.
seconds_left() {
  local said total
  if [[ -n ${FAIRFRONT_SECONDS:-} ]]; then
    echo $((10#$FAIRFRONT_SECONDS - SECONDS))
  elif [[ -n ${PBS_JOBID:-} ]]; then
    said=$(qstat -f "$job" | sed -n 's/^ *Resource_List\.walltime = *//p') || return 0
    total=$(seconds_of "$said") && echo $((total - SECONDS))
  elif [[ -n ${LSB_JOBID:-} ]]; then
    said=$(bjobs -noheader -o time_left "$job") || return 0
    total=$(seconds_of "${said%% *}") && echo $((60 * total))
  else
    said=$(flux job timeleft) || return 0
    said=${said%%.*}
    [[ ! $said =~ ^[0-9]+$ ]] || echo "$said"
  fi
  return 0
}

if [[ -n ${FAIRFRONT_SECONDS:-} && ! $FAIRFRONT_SECONDS =~ ^[0-9]+$ ]]; then
  say "FAIRFRONT_SECONDS is a whole number, not '$FAIRFRONT_SECONDS'"
  exit "$bad_input"
fi
program=${FAIRFRONT:-$(command -v fairfront || echo build/release/fairfront)}
if [[ -n ${FAIRFRONT_LAUNCH:-} || -n ${PBS_JOBID:-}${LSB_JOBID:-} ]]; then
  read -ra launch <<<"${FAIRFRONT_LAUNCH:-mpirun}"
else
  launch=(flux run -n "$(flux resource list -n -o '{ncores}' -s free)")
fi
for needed in "${launch[0]}" "$program"; do
  if ! command -v "$needed" >/dev/null; then
    say "there is no program '$needed' on $(hostname); FAIRFRONT and FAIRFRONT_LAUNCH name them"
    exit "$bad_input"
  fi
done

timer=''
left=$(seconds_left)
if [[ -n $left ]]; then
  allowed=$((left > 2 * notice ? left - notice : left / 2))
  ((allowed > 0)) || allowed=1  # a limit of 0 would be refused, and the job not requeued
  options+=(--time-limit "$((allowed / 60)):$((allowed % 60))")
  # Of a task that takes longer than was foreseen. Its sleep ends with it, and writes nowhere.
  (
    trap 'kill $!' TERM
    sleep "$allowed" &
    wait $! && kill -USR1 $$
  ) >/dev/null 2>&1 &
  timer=$!
else
  say "nobody says when the job ends: FAIRFRONT_SECONDS may"
fi

# Sets $status to how the ranks end.
run_ranks() {
  "${launch[@]}" "$program" run "$config" -o "$output" --resume "${options[@]}" &
  ranks=$!
  if $woken; then
    kill -USR1 "$ranks" || true  # it came before there was anyone to hand it on to
  fi
  until
    woken=false status=0
    wait "$ranks" || status=$?  # a signal ends it, too, though the ranks go on
    [[ $woken == false ]]
  do :; done
  ranks=''
}

say "$config -> $output"
run_ranks
# Orphans of a run that was cut off hold its journal for some seconds.
for seconds in 2 5 10 20; do
  if [[ $status -ne $busy ]] || $terminated; then
    break
  fi
  say "another run has not ended yet; again in $seconds s"
  sleep "$seconds"
  run_ranks
done
[[ -z $timer ]] || kill "$timer" 2>/dev/null || true
# mpirun's code when it is told to end: a run whose tasks have failed leaves an archive.
if [[ $status -eq 1 && ! -e $output && -e $output.journal ]]; then
  status=$interrupted
fi
case $status in
  0 | 1 | 2 | 4) say "ended with exit code $status" ;;
  *) say "ended with exit code $status; the same command goes on where this one ends" ;;
esac
exit "$status"
