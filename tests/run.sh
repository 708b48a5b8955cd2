#!/usr/bin/env bash
# The one test command.
#   tests/run.sh            everything that CI runs
#   tests/run.sh --quick    format, build and ctest only
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

cores=$(nproc)
jobs=$cores  # of a build
logs=build/logs
mkdir -p "$logs"

# Open MPI: root is fine in a container; more ranks than cores are wanted, and then a waiting rank
# must not keep a core busy. Without binding, as jobs side by side would all take the first core.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
if [[ $cores -lt 4 ]]; then
  export OMPI_MCA_mpi_yield_when_idle=1
fi

packages() {
  jobs/packages.sh test
}

format() {
  find src drivers tests -name '*.[ch]pp' -print0 |
    xargs -0 -n 50 -P "$cores" clang-format-14 --dry-run -Werror
}

scripts() {
  find . .ci/run -path ./build -prune -o \
    '(' -name '*.sh' -o -name '*.sbatch' -o -path .ci/run ')' -print0 |
    xargs -0 shellcheck --external-sources
}

compiler_cache() {
  # Read by CMake at the first configuration of a build folder.
  if command -v ccache >/dev/null; then
    export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
  fi
}

# build PRESET [options of cmake]: goes on after an error, to show all of them.
build() {
  compiler_cache
  cmake --preset "$1" "${@:2}" && cmake --build --preset "$1" --parallel "$jobs" -- -k 0
}

# The second compiler works while types are compared, tests and benchmarks of the first one's build run,
# with what they leave of the processors: many tests wait most of their time. The step after them shows
# what it said.
behind=  # its process group
begin_build_behind() {
  set -m  # a process group of its own, which an interrupted script ends
  (
    renice -n 19 "$BASHPID" >/dev/null
    jobs=$(jobs_beside_tests)
    build "$1"
    echo "$?" >"$logs/build-$1.status"
  ) >"$logs/build-$1.log" 2>&1 &
  behind=$!
  set +m
  trap 'stop_build_behind asan' EXIT
}
stop_build_behind() {
  [[ -e $logs/build-$1.status ]] || kill -- "-$behind"
}
end_build_behind() {
  tail --pid="$behind" -n +1 -f "$logs/build-$1.log"
  [[ $(cat "$logs/build-$1.status") == 0 ]]
}

# A compiler takes up to a gigabyte, and the tests want some, too.
jobs_beside_tests() {
  local most
  most=$(awk '/^MemAvailable:/ { print int($2 / 1024 / 1024 / 3) }' /proc/meminfo)
  echo $((most < 1 ? 1 : most < cores ? most : cores))
}

# build_asan: what begin_build_behind began, or all of it.
build_asan() {
  if [[ -n $behind ]]; then end_build_behind asan; else build asan; fi
}

# run_ctest PRESET [options of ctest]
run_ctest() {
  local status=0
  # One more than cores: the tests of faults and of SLURM wait most of their time.
  ctest --test-dir "build/$1" --parallel "$((cores + 1))" --output-on-failure --no-tests=error "${@:2}" |
    tee "$logs/ctest-$1.log" || status=1
  skipped_tests "build/$1/Testing/Temporary/LastTest.log"
  return "$status"
}

# Which tests were left out, and why: a program that skips some of its tests passes. The lines of
# GoogleTest come after the reason, those of Python hold it.
skipped_tests() {
  echo "Left out:"
  awk '/: Skipped$/ { getline; reason = $0 }
       /^\[  SKIPPED \] .* \([0-9]+ ms\)$/ { print "  " $4 ": " reason; found = 1 }
       / \.\.\. skipped / { print "  " $0; found = 1 }
       END { if (!found) print "  nothing" }' "$1" | sort -u
}

# What the tests that failed said, once more at the end: what stands between is long. Of Python from FAIL
# or ERROR to the line under its trace, of GoogleTest from Failure to FAILED.
complaints() {
  awk '/^(FAIL|ERROR): / || /: Failure$/ { shown = 1; rules = 0 }
       shown && /^----------/ { if (++rules == 2) shown = 0 }
       shown && lines < 100 { print "  " $0; ++lines }
       /^\[  FAILED  \]/ { shown = 0 }' "$logs"/ctest-*.log
}

# The unit tests, and the MPI tests on one and two ranks, without those that take some five seconds or
# more here: they repeat, to see that answers are right, what others call once.
asan() {
  local long=(
    '*.ACycleEnds*' '*.GivesWhatTheLiteralMethodGives' '*.TheOptimumOfOklahoma*' '*AllAssignments*'
    '*ThePowerHoldsOver*' 'AcsIncome.GroupsMayBe*' 'AcsIncome.TheDraw*'
    'Aimed.GapsOfRowsThatComeLater*' 'BalanceLadder.NearlyReaches*'
    'BalancedAssignment.IsTheCheapest*' 'Bootstrap.AgreesWithTheFormulas*'
    'Certified.ComesNear*' 'ConfigErrors.SeveralShortForms*'
    'Damage.TruncationAtEveryLength*' 'Degenerate.*InFewSteps'
    'Degenerate.ALowerEnd*' 'Degenerate.TheLinearProgramOfAnyNumber*' 'Degenerate.WhatAllAtoms*'
    'ExactTraining.CountsTheEnds*' 'ExactTraining.FindsTheOptimum*'
    'ExactTraining.FindsWhatASolver*' 'ExactTraining.IsAKktPoint*' 'ExactTraining.KeepsTheBounds*'
    'ExactTraining.NoFeasibleWeights*' 'ExactTraining.NoWeightsWithin*' 'ExactTraining.ScoresThatAreNearly*'
    'ExactTraining.WhereNoBound*' 'Forgery.AFlippedBit*' 'GapBound.AsksForAStop*'
    'GapBound.IsBelowTheOptimum*' 'GapBound.IsRaised*'
    'GapBound.NeverFalls*' 'Iqrc.ANetworkLearns*'
    'JournalRecord.TheBytesAreThoseOfOneJsonValueAtEvery*'
    'LabelledSets.RowsColumns*' 'LabelledSets.TasksAreListed*' 'LastLayerStep.FewEvaluations*' 'LastLayerStep.IsWithinTheBounds*'
    'LastLayerStep.TenEvaluations*' 'LevelSet.ComesNear*' 'LowerBound.IsTheRelaxation*'
    'LowerBound.LeavesNextToNothing*' 'LowerBound.OfAnyPotentials*' 'LowerBound.OfTwoClusters*'
    'LowerBound.ThatARounding*' 'Optimum.ManyGroupsWithoutAnySlack*' 'OrderedSample.SharesWhat*'
    'PairBoxes.Bound*' 'PairedMeasure.HoldsTheTruth' 'Plan.TooManyTasks*' 'Problems.NoSampledPoint*'
    'RankingTuning.TheStepIs*' 'Rates.CertifiedTrainingComesNear*' 'Rates.CertifiedTrainingFinds*FewValues'
    'Rates.LevelsThatFewRows*' 'Rates.TheSlopes*' 'RoundTrip.ColumnsOfManyChunks*'
    'SampledLadder.HasNearly*' 'SeveralGroups.TheLevelSet*' 'Split.AsManyGroupsAsRows*'
    'Stop.IsAskedForWhileSeeds*'
    'ThresholdFront.IsSoWhere*'
    'Vfairkm.RestartsHaveTheBest*'
  )
  local IFS=:
  export GTEST_FILTER="-${long[*]}"
  run_ctest asan --exclude-regex '_[34]_ranks$|^analysis$|^layers$|^install$|^doc$|^system|^fault|^slurm'
}

# Sizes and bounds of which a smaller one, or those beside them, are checked all the same: by hand alone.
long_benchmarks='audit_of_two_models/1000000|level_set/.*/kappa:0[.][123]0'

# Short, but with the answers checked. A benchmark that reports a wrong answer still exits with 0.
benchmark() {
  local log=$logs/${1##*/}.log status=0
  "$1" --benchmark_min_time=0.01 --benchmark_color=false --benchmark_filter="-$long_benchmarks" \
    >"$log" 2>&1 || status=1
  ! grep -q 'ERROR OCCURRED' "$log" || status=1
  cat "$log"
  return "$status"
}
benchmarks() {
  local programs
  programs=$(find build/ci/tests/bench -maxdepth 1 -name 'bench_*' -type f -executable | sort)
  [[ -n $programs ]] || { echo "no benchmark found"; return 1; }
  export -f benchmark
  export logs long_benchmarks
  echo "Left out: $long_benchmarks"
  xargs -P "$cores" -I{} bash -c 'benchmark {}' <<<"$programs"
  simulations
}
# A few draws of what takes 500 by hand; its targets allow for that.
simulations() {
  build/ci/tests/bench/simulate_choice fitted 2 || return 1
  local income=${FAIRFRONT_DATA:-../shared/data}/acs-income/acsincome_2018_1y_49states_PR.csv.gz
  if [[ -f $income ]]; then
    build/ci/tests/bench/simulate_choice "$income" 20
  else
    echo "simulate_choice is skipped: it needs ACSIncome, which jobs/get_data.sh fetches"
  fi
}

# Failed and run tests of all ctest runs, from lines such as
# "90% tests passed, 1 tests failed out of 10"; a program that was not built counts as failed.
failed_tests() {
  cat "$logs"/ctest-*.log 2>/dev/null | sed -n 's/.*% tests passed, \([0-9]*\) .*/\1/p' | add
}
run_tests() {
  cat "$logs"/ctest-*.log 2>/dev/null | sed -n 's/.* tests failed out of \([0-9]*\)$/\1/p' | add
}
add() {
  awk '{ sum += $1 } END { print sum + 0 }'
}

names=() verdicts=() times=()
other_failures=0  # steps that failed by something else than a failing ctest test

# step NAME COMMAND...: runs the command in a subshell, so that steps do not disturb each other.
# False when it fails, for steps that make sense only after it.
step() {
  local name=$1 begin=$SECONDS verdict=passed before
  before=$(failed_tests)
  echo
  echo "== $name"
  if ! ("${@:2}"); then
    verdict=FAILED
    [[ $(failed_tests) -gt $before ]] || other_failures=$((other_failures + 1))
  fi
  echo "== $name: $verdict after $((SECONDS - begin)) s"
  names+=("$name") verdicts+=("$verdict") times+=($((SECONDS - begin)))
  [[ $verdict == passed ]]
}

quick=false
case ${1:-} in
  --quick) quick=true ;;
  '') ;;
  -h | --help) echo "usage: $0 [--quick]"; exit 0 ;;
  *) echo "usage: $0 [--quick]" >&2; exit 2 ;;
esac

rm -f "$logs"/ctest-*.log "$logs"/build-*.status
$quick || step "packages" packages
step "format" format
$quick || step "shell scripts" scripts
if step "build ci" build ci -DFAIRFRONT_ONE_DEFINITION=ON; then
  $quick || begin_build_behind asan
  step "one definition" cmake --build --preset ci --target one_definition
  step "tests" run_ctest ci
  $quick || step "benchmarks" benchmarks
fi
if ! $quick; then
  if step "build asan" build_asan; then
    step "tests asan" asan
    step "fuzz" tests/fuzz/run.sh 60 --inputs=6000
  fi
fi

echo
for i in "${!names[@]}"; do
  printf '%-14s %s in %d s\n' "${names[i]}" "${verdicts[i]}" "${times[i]}"
done
echo "total time     $SECONDS s"
failures=$(failed_tests)
failed=$((failures + other_failures))
if [[ $failures -gt 0 ]]; then complaints; fi
echo "$(($(run_tests) - failures)) passed, $failed failed"
[[ $failed -eq 0 ]]
