#!/usr/bin/env bash
# Runs the papers' configs, draws their figures, writes their tables, and compares printed numbers.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly here

usage() {
  cat <<'TEXT'
usage: jobs/reproduce.sh [-o DIR] [-n RANKS] [-d DATA] [FAMILY|CONFIG ...]

Runs the configs of the papers and puts archives, figures, tables and a comparison with the papers' printed
numbers into DIR (reproduced), and all of it into DIR/reproducibility.tar.gz with a script that checks and
replays it. Families: clustering, alternating, regression, ranking, training (all of them). A CONFIG is the
path of an INI file. The same command goes on where an earlier one was cut off; what is done is not run
again. A config whose data are not there is left out, and the end says so.

  -o DIR    Everything goes into this folder.
  -n RANKS  The configs run on so many MPI ranks (2).
  -d DATA   The data sets are in this folder ($FAIRFRONT_DATA, or else ./data); jobs/get_data.sh downloads what it can.

environment:
  FAIRFRONT  the program (fairfront on PATH, else build/release/fairfront)
exit status: 0 everything ran, 1 something failed or was left out (also the page), 2 wrong usage, 3 interrupted
TEXT
}

die() {
  printf 'reproduce: %s\n' "$1" >&2
  exit "${2:-1}"
}

configs_of() {
  case $1 in
    clustering) names=(synthetic-vfairkm figure4 adult-k5-vfairkm adult-k10-vfairkm bank-k5-vfairkm bank-k10-vfairkm
                       adult-pairs) ;;
    alternating) names=(figure1-4 rates-smooth-convex rates-smooth-strongly-convex rates-nonsmooth-convex
                        rates-nonsmooth-strongly-convex) ;;
    regression) names=(communities law-school adult iterations-communities iterations-law-school
                       iterations-adult optimisers-communities optimisers-law-school four-groups
                       table1-communities table1-law-school table1-adult) ;;
    ranking) names=(figure1-a9a figure1-bank figure2-a9a figure2-bank figure3-compas figure4-compas) ;;
    training) names=(figures1-4-table3 figure5) ;;
    *) die "no family '$1' (see --help)" 2 ;;
  esac
  printf '%s.ini\n' "${names[@]/#/$here/configs/$1/}"
}

find_program() {
  if [[ -n ${FAIRFRONT:-} ]]; then
    program=$FAIRFRONT
  elif command -v fairfront >/dev/null; then
    program=fairfront
  else
    program=$here/build/release/fairfront
  fi
  command -v "$program" >/dev/null || die "no program '$program': build it (jobs/quickstart.sh), or set FAIRFRONT" 2
  program=$(command -v "$program")
  export FAIRFRONT=$program
}

# Runs one config, or goes on with it; then its figures. Notes what was left out.
reproduce() {
  local config=$1 name archive code=0
  name=$(basename "$(dirname "$(realpath "$config")")")-$(basename "$config" .ini)
  archive=$output/archives/$name.h5
  echo "== $name"
  if ! "$program" plan "$config" --data-dir "$data" >"$output/log" 2>&1; then
    left_out+=("$name: $(tail -n 1 "$output/log")")
    echo "left out: $(tail -n 1 "$output/log")"
    return
  fi
  "${launch[@]}" "$program" run "$config" -o "$archive" --resume --data-dir "$data" || code=$?
  case $code in
    0) ;;
    1) failed+=("$name: some tasks failed; $program show $archive names them") ;;
    3) die "interrupted; the same command goes on" 3 ;;
    *) failed+=("$name: the run ended with code $code")
       return ;;
  esac
  "$program" verify "$archive"
  cp "$config" "$output/configs/$name.ini"
  if /usr/bin/python3 "$here/analysis/figures.py" "$archive" -o "$output/figures" --format pdf,png \
    --papers >"$output/log" 2>&1; then
    echo "figures and tables: $output/figures/$name-*"
    sed -n "\\|/$name-|!s|^$output/figures/\([^ .]*\)\..*|as in the paper: $output/figures/\1.*|p" "$output/log"
    sed -n 's/^no \([a-z]*-\(figure\|table\)-[^:]*\): /not as in the paper: \1: /p' "$output/log"
  else
    tail -n 1 "$output/log" >&2
    failed+=("$name: no figures")
  fi
}

# What is committed; of a tree that git does not know, or that belongs to somebody else, its files.
pack_sources() {
  local packed=$output/source.tar.gz own kept_out=(.git build data results reproduced)
  if git -C "$here" archive --format=tar.gz -o "$packed" HEAD 2>/dev/null && [[ -s $packed ]]; then return; fi
  own=$(realpath --relative-to="$here" "$output")
  if ! tar -C "$here" --exclude="./$own" "${kept_out[@]/#/--exclude=./}" --exclude='*.h5' --exclude=__pycache__ \
    --exclude=node_modules --owner=0 --group=0 --numeric-owner --sort=name -czf "$packed" .; then
    rm -f "$packed"
    die "the sources in '$here' could not be packed, and without them nobody can check the bundle"
  fi
}

# The archive that others check: everything, its sums, and how to replay it.
pack() {
  local kept=(README.md archives configs figures published.txt versions.txt data.sha256 check.sh "${page[@]+"${page[@]}"}")
  {
    "$program" --version
    git -C "$here" rev-parse HEAD 2>/dev/null || true
    uname -srm
    /usr/bin/python3 -c 'import h5py, matplotlib, numpy, pandas
for one in (h5py, matplotlib, numpy, pandas): print(one.__name__, one.__version__)'
  } >"$output/versions.txt"
  /usr/bin/python3 - "$output"/archives/*.h5 >"$output/data.sha256" <<'PYTHON'
import sys
import h5py
rows = set()
for path in sys.argv[1:]:
    files = h5py.File(path)["provenance/datasets/files"]
    rows |= {(name.decode(), digest.decode()) for name, digest in zip(files["name"], files["sha256"])}
print("".join(f"{digest}  {name}\n" for name, digest in sorted(rows)), end="")
PYTHON
  cat >"$output/check.sh" <<'CHECK'
#!/usr/bin/env bash
# Checks the sums and the archives, and runs every task again, to the last bit.
#   ./check.sh                    all tasks
#   ./check.sh --task 0           the first task of each archive
# An archive that differs, or lacks its data, does not keep the others from being checked: the last line
# names such archives, and the exit status is 1. FAIRFRONT names the program (fairfront on PATH; else the
# sources are built, with the compiler that is here: the bits are promised for one binary), FAIRFRONT_DATA
# the data files, whose sums are in data.sha256.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
sha256sum --check --quiet SHA256SUMS
program=${FAIRFRONT:-$(command -v fairfront || true)}
if [[ -z $program ]]; then
  if [[ ! -s source.tar.gz ]]; then
    echo "no program 'fairfront' on PATH, and no sources here to build it of: set FAIRFRONT to the program" >&2
    exit 2
  fi
  mkdir -p source
  tar -xzf source.tar.gz -C source
  (cd source && jobs/packages.sh && cmake --preset release && cmake --build --preset release)
  program=$PWD/source/build/release/fairfront
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
open=()
for archive in archives/*.h5; do
  "$program" verify "$archive" &&
    "$program" replay "$archive" --data-dir "${FAIRFRONT_DATA:-data}" --work-dir "$work" "$@" || open+=("$archive")
done
if [[ ${#open[@]} -gt 0 ]]; then
  echo "not shown, see above (README.md says how to get data): ${open[*]}" >&2
  exit 1
fi
echo "sound, and replayed to the last bit"
CHECK
  chmod +x "$output/check.sh"
  /usr/bin/python3 "$here/analysis/bundle_readme.py" "$output"
  pack_sources
  kept+=(source.tar.gz)
  (cd "$output" && find "${kept[@]}" -type f ! -name '*.journal' -print0 | LC_ALL=C sort -z |
    xargs -0 sha256sum >SHA256SUMS)
  tar -C "$output" --sort=name --transform 's,^,reproducibility/,' -czf "$output/reproducibility.tar.gz" \
    "${kept[@]}" SHA256SUMS
}

output=reproduced
ranks=2
data=${FAIRFRONT_DATA:-data}
wanted=()
while [[ $# -gt 0 ]]; do
  case $1 in
    -h | --help) usage && exit 0 ;;
    -o | -n | -d)
      [[ $# -ge 2 ]] || die "$1 needs a value" 2
      case $1 in -o) output=$2 ;; -n) ranks=$2 ;; -d) data=$2 ;; esac
      shift ;;
    -*) die "no option '$1' (see --help)" 2 ;;
    *) wanted+=("$1") ;;
  esac
  shift
done
[[ -n $output ]] || die "-o needs the name of a folder" 2
[[ -n $data ]] || die "-d needs the name of a folder" 2
[[ $ranks =~ ^[1-9][0-9]{0,5}$ ]] || die "-n $ranks: must be a number of ranks, 1 to 999999" 2
[[ ${#wanted[@]} -gt 0 ]] || wanted=(clustering alternating regression ranking training)

configs=()
for one in "${wanted[@]}"; do
  if [[ $one == *.ini ]]; then
    [[ -f $one ]] || die "no file '$one'" 2
    configs+=("$one")
  else
    found=$(configs_of "$one")
    while read -r config; do
      if [[ -f $config ]]; then configs+=("$config"); else echo "no config $config" >&2; fi
    done <<<"$found"
  fi
done
find_program
mkdir -p "$output"/{archives,configs,figures}
output=$(cd "$output" && pwd)
launch=(mpirun -n "$ranks")
if [[ $EUID -eq 0 ]]; then
  # Open MPI asks root twice, in words, since it cannot know that this is a container.
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi
if [[ $(nproc) -lt $ranks ]]; then
  launch+=(--oversubscribe)
fi

left_out=()
failed=()
for config in "${configs[@]}"; do
  reproduce "$config"
done
rm -f "$output/log"
archives=("$output"/archives/*.h5)
[[ -f ${archives[0]} ]] || die "nothing could be run"
echo "== against the papers' printed numbers"
/usr/bin/python3 "$here/analysis/published.py" "${archives[@]}" | tee "$output/published.txt"
page=()
no_page=
if /usr/bin/python3 "$here/analysis/report.py" "${archives[@]}" -o "$output/report.html"; then
  page=(report.html)
else
  no_page="no page report.html: the line above says what it lacks; the charting library comes with 'jobs/packages.sh report', then run the same command again"
fi
pack
echo "== $output"
echo "figures and tables in figures/, printed numbers in published.txt, what each archive shows in README.md," \
  "all of it in reproducibility.tar.gz"
printf 'left out: %s\n' "${left_out[@]+"${left_out[@]}"}" | grep -v '^left out: $' || true
printf 'failed: %s\n' "${failed[@]+"${failed[@]}"}" | grep -v '^failed: $' || true
[[ -z $no_page ]] || echo "$no_page"
[[ ${#left_out[@]} -eq 0 && ${#failed[@]} -eq 0 && -z $no_page ]]
