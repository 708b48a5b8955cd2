#!/usr/bin/env bash
# Downloads the public data sets of the catalogue and checks their SHA-256 sums.
set -euo pipefail

readonly base_url="${FAIRFRONT_DATA_URL:-https://archive.ics.uci.edu}"

# file below the data directory | SHA-256 of the uncompressed content | path below the base URL |
# for a zip archive: the member, '!' before a member of an archive inside the archive.
# Several lines for one file are tried in turn. A further data set is one more line.
readonly sources="
adult/adult.data|5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d|static/public/2/adult.zip|adult.data
adult/adult.data|5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d|ml/machine-learning-databases/adult/adult.data|
adult/adult.test|a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05|static/public/2/adult.zip|adult.test
adult/adult.test|a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05|ml/machine-learning-databases/adult/adult.test|
bank-marketing/bank-additional-full.csv.gz|74adfc578bf77a7ff4bb1ba4a9f8709d9e3c6907342959c2c8416847e0afb4d8|static/public/222/bank+marketing.zip|bank-additional.zip!bank-additional/bank-additional-full.csv
bank-marketing/bank-additional-full.csv.gz|74adfc578bf77a7ff4bb1ba4a9f8709d9e3c6907342959c2c8416847e0afb4d8|ml/machine-learning-databases/00222/bank-additional.zip|bank-additional/bank-additional-full.csv
communities-crime/communities.data|09e0b5c07eae24c1efab19b2edee05e160e7f5743b6f31e31eec3d73624da2ea|static/public/183/communities+and+crime.zip|communities.data
communities-crime/communities.data|09e0b5c07eae24c1efab19b2edee05e160e7f5743b6f31e31eec3d73624da2ea|ml/machine-learning-databases/communities/communities.data|
diabetes-130us/diabetic_data.csv.gz|0689e7ec031237dc63031b938805c48377748761a3b26acab621567afa24df97|static/public/296/diabetes+130-us+hospitals+for+years+1999-2008.zip|diabetic_data.csv
"

# Files whose publishers give no address that we know of: file below the data directory | SHA-256 of
# the uncompressed content | where they come from. They are checked, not downloaded.
readonly by_hand="
dutch-census/dutch_census_2001.arff|0e7e3f32668919c239db820f625815e1ea834c71402cdea595e03ef08c8616ef|GitHub tailequy/fairness_dataset
acs-income/acsincome_2018_1y_49states_PR.csv.gz|f5ec8d6445678901b809320183c60ea284ef54f762d9182b830db659a1a2da52|GitHub xheilmann/FeDa4Fair, made from US Census Bureau, ACS PUMS 2018
credit-default/credit-card-clients.csv|7cfc3bb35b6986be40cccb5d490806f082b46f93afafdce27fd7f409eb5abb02|GitHub tailequy/fairness_dataset, from UCI 350
german-credit/german.data|b21f3d81db8071257d5ff1deaeba1fd4303b62712e6fcc9715c7a86202cb5871|UCI 144 Statlog German Credit
law-school/lawschool.csv|417f7e65505e87cfc2b952b8b06287f02bcc1702508315e8a8d843b046e59606|GitHub steven7woo/fair_regression_reduction
law-school/law_school_clean.csv|23c1b173f3480beb7afc4957b107a9917dfc4a8dc9d87ea6034ec35222152452|GitHub tailequy/fairness_dataset
student/student-mat.csv|e47f9ee225e1ee6e69b7564e6dac7123e80b8486677fe111f351964cef5dec80|UCI 320 Student Performance
student/student-por.csv|a7594a11d7771c0efe1a740824e0e833da9c4cad07c39a9766a874575563fb3f|UCI 320 Student Performance
communities-crime/communities.csv|b97393d2700dd0a320f609762b34ea7a8eccccada9f5bdfdeafbdb5bf8e32110|GitHub steven7woo/fair_regression_reduction, from UCI 183
compas/compas-scores.csv|c9864c9e48c0a9e32ab23f7ad05a454d7624a4625c2a54d4447921de544fd8a2|GitHub propublica/compas-analysis
a9a/a9a|f5d5ffd8d865ff41328e7ee043e4b020816914ff6843ff15b98905ddbedce906|LIBSVM Data, binary classification, a9a
a9a/a9a.t|1f448a153f0320399a7e40836eb207655b0bde0f21fc941cc472193daa9f5de9|LIBSVM Data, binary classification, a9a
acs-income/acsincome_2018_1y_OK.csv|93eca601e4d5d99cb25b4a77e9c015d25bfbe155a7b44a9abd9723e697da0615|GitHub xheilmann/FeDa4Fair, made from US Census Bureau, ACS PUMS 2018
acs-income/acsincome_2018_1y_CO.csv|93d3a6e0619bc01230485a484b28f229eb09639645b111da083f2dbb83b7336d|GitHub GhizlaneBadaoui/supervisedML, made from US Census Bureau, ACS PUMS 2018
acs-income/acsincome_2018_1y_NE.csv|772f080382e9f88d49f09e362b5aa808d360eca5a3d192b8533be602cd27c7e2|GitHub GhizlaneBadaoui/supervisedML, made from US Census Bureau, ACS PUMS 2018
"

usage() {
  cat <<'TEXT'
usage: jobs/get_data.sh [--help] [DIRECTORY]

Downloads the public data sets into DIRECTORY (default: $FAIRFRONT_DATA, or else ./data), one
folder per data set, as `fairfront --data-dir DIRECTORY` expects them. Files that are there and
whole are kept, so it may be run again; a file with other content is reported and left alone.
Files without a known address are named with their source, to be put there by hand, and are checked.

environment:
  FAIRFRONT_DATA_URL  download from here instead of https://archive.ics.uci.edu
exit status: 0 all files with an address are there and none has other content, 1 otherwise, 2 wrong usage or a tool is missing
TEXT
}

fail() {
  printf 'get_data: %s\n' "$1" >&2
  exit "${2:-1}"
}

# Prints a file's uncompressed content.
content() {
  case "$1" in
    *.gz) gzip -dc -- "$1" ;;
    *) cat -- "$1" ;;
  esac
}

sum_of() { sha256sum -- "$1" | cut -d ' ' -f 1; }

# Downloads a URL once; prints the name of the file.
download() {
  local url="$base_url/$1"
  local file="$scratch/${1//\//_}"
  if [[ ! -e "$file" ]]; then
    printf 'get_data: downloading %s\n' "$url" >&2
    curl --fail --silent --show-error --location --retry 2 --connect-timeout 20 \
      --output "$file.part" -- "$url" || return 1
    mv -- "$file.part" "$file" || return 1
  fi
  printf '%s\n' "$file"
}

# Extracts `member` (see the table) of `archive` to `output`; without a member, copies.
extract() {
  local archive="$1" member="$2" output="$3"
  while [[ "$member" == *!* ]]; do
    unzip -p "$archive" "${member%%!*}" > "$scratch/inner.zip" || return 1
    archive="$scratch/inner.zip"
    member="${member#*!}"
  done
  if [[ -z "$member" ]]; then
    cp -- "$archive" "$output"
  else
    unzip -p "$archive" "$member" > "$output"
  fi
}

# Puts plain content in its place under its final name, whole or not at all.
store() {
  local plain="$1" target="$2"
  mkdir -p -- "$(dirname -- "$target")" || return 1
  case "$target" in
    *.gz) gzip -9nc -- "$plain" > "$target.part" || return 1 ;;
    *) cp -- "$plain" "$target.part" || return 1 ;;
  esac
  mv -- "$target.part" "$target"
}

# Tries one line of the table. Its caller asks whether it succeeded, which turns `set -e` off in
# here and below: hence the many `|| return 1`.
fetch() {
  local target="$1" sum="$2" path="$3" member="$4" archive found
  archive="$(download "$path")" || return 1
  extract "$archive" "$member" "$scratch/plain" || return 1
  found="$(sum_of "$scratch/plain")"
  if [[ "$found" != "$sum" ]]; then
    printf 'get_data: %s/%s: expected SHA-256 %s, found %s\n' "$base_url" "$path" "$sum" \
      "$found" >&2
    return 1
  fi
  store "$scratch/plain" "$target" || return 1
  printf 'get_data: %s: done\n' "$target"
}

# The state of a file: whole, changed or absent.
state_of() {
  if [[ ! -e "$1" ]]; then
    echo absent
  elif content "$1" > "$scratch/present" 2> /dev/null &&
    [[ "$(sum_of "$scratch/present")" == "$2" ]]; then
    echo whole
  else
    echo changed
  fi
}

fetch_all() {
  local directory="$1" file sum path member missing=0
  declare -A state
  while IFS='|' read -r file sum path member; do
    [[ -n "$file" ]] || continue
    if [[ -z "${state[$file]:-}" ]]; then
      state[$file]="$(state_of "$directory/$file" "$sum")"
      [[ "${state[$file]}" == absent ]] ||
        printf 'get_data: %s: present, %s\n' "$directory/$file" "${state[$file]}"
    fi
    [[ "${state[$file]}" == absent ]] || continue
    if fetch "$directory/$file" "$sum" "$path" "$member"; then state[$file]=whole; fi
  done <<< "$sources"
  for file in "${!state[@]}"; do
    [[ "${state[$file]}" != whole ]] || continue
    printf 'get_data: %s is %s\n' "$directory/$file" "${state[$file]}" >&2
    missing=1
  done
  return "$missing"
}

# Files that nobody can download for you: absent ones are no failure, changed ones are.
check_by_hand() {
  local directory="$1" file sum source state changed=0
  while IFS='|' read -r file sum source; do
    [[ -n "$file" ]] || continue
    state="$(state_of "$directory/$file" "$sum")"
    case "$state" in
      absent)
        printf 'get_data: %s: no address is known; put it there by hand (%s), SHA-256 %s\n' \
          "$directory/$file" "$source" "$sum"
        ;;
      *) printf 'get_data: %s: present, %s\n' "$directory/$file" "$state" ;;
    esac
    [[ "$state" != changed ]] || changed=1
  done <<< "$by_hand"
  return "$changed"
}

main() {
  case "${1:-}" in
    -h | --help) usage && exit 0 ;;
    -*) fail "unknown option '$1' (see --help)" 2 ;;
  esac
  [[ $# -le 1 ]] || fail "one directory, please (see --help)" 2
  local tool
  for tool in curl unzip gzip sha256sum; do
    command -v "$tool" > /dev/null || fail "the program '$tool' is needed" 2
  done
  scratch="$(mktemp -d)"
  trap 'rm -rf -- "$scratch"' EXIT
  local directory="${1:-${FAIRFRONT_DATA:-data}}" status=0
  check_by_hand "$directory" || status=1
  fetch_all "$directory" || status=1
  return "$status"
}

main "$@"
