#!/usr/bin/env bash
# Fuzzes every reader of files with the sanitizers of the preset asan.
#   tests/fuzz/run.sh [SECONDS]      each reader for so long (600), two at a time
#   tests/fuzz/run.sh --inputs=N     each reader for so many inputs: the same ones in every run
#                     --seed=N       another course of chance than that of CI
# What is found stays in build/asan/fuzz/found; what is of interest, in build/asan/fuzz/corpus.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

seconds=600 seed=1 inputs=-1
for argument in "$@"; do
  case $argument in
    --seed=*) seed=${argument#*=} ;;
    --inputs=*) inputs=${argument#*=} ;;
    *[!0-9]* | '') echo "usage: $0 [SECONDS] [--inputs=N] [--seed=N]" >&2; exit 2 ;;
    *) seconds=$argument ;;
  esac
done
readers=(archive journal checkpoint model config catalogue csv arff libsvm)  # those that take longest first
programs=build/asan/tests/fuzz
work=build/asan/fuzz

if command -v ccache >/dev/null; then
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
fi
cmake --preset asan >/dev/null
cmake --build --preset asan --parallel "$(nproc)" --target fuzz_seeds "${readers[@]/#/fuzz_}"
rm -rf "$work/seeds" "$work/found"
mkdir -p "$work/seeds/config" "$work/seeds/catalogue" "$work/found"
"$programs/fuzz_seeds" "$work/seeds"
cp -r tests/fuzz/seeds/. "$work/seeds"
cp src/data/catalogue/catalogue.ini "$work/seeds/catalogue"

if [[ -w /dev/shm ]]; then
  export TMPDIR=/dev/shm  # a journal is a folder of files, made anew for every input
fi

fuzz() {
  local reader=$1 log=$work/$1.log
  mkdir -p "$work/corpus/$reader"
  # A slow input is a finding, too; memory is bounded by what a reader may make of so few bytes.
  if "$programs/fuzz_$reader" -max_total_time="$seconds" -runs="$inputs" -seed="$seed" -timeout=60 \
    -rss_limit_mb=3000 -max_len=300000 -print_final_stats=1 -artifact_prefix="$work/found/$reader-" \
    "$work/corpus/$reader" "$work/seeds/$reader" >"$log" 2>&1; then
    echo "$reader: $(sed -n 's/stat::number_of_executed_units: *//p' "$log") inputs, nothing found"
  else
    echo "$reader: FOUND something:"
    tail -n 60 "$log"
    return 1
  fi
}
export -f fuzz
export seconds seed inputs programs work
printf '%s\n' "${readers[@]}" | xargs -P "$(nproc)" -I{} bash -c 'fuzz {}'
