#!/usr/bin/env bash
# Downloads the public data sets of the catalogue and checks their SHA-256 sums.
set -euo pipefail

# The program's catalogue: beside this script where it is installed, else where its source is.
here="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)"
for program_catalogue in "$here/catalogue.ini" "$here/../src/data/catalogue/catalogue.ini"; do
  [[ ! -e "$program_catalogue" ]] || break
done
readonly program_catalogue

# Prints what the sections [file ...] of catalogues say, one line a place to load a file from:
# file | SHA-256 of the uncompressed content | address | member of the archive there, '!' before a
# member of an archive inside it | script beside this one, with options, that makes the file of that |
# origin. Several lines for one file are tried in turn; a file without an address has one line without it.
files_of() {
  LC_ALL=C awk '
    function trim(text) { gsub(/^[ \t\r]+|[ \t\r]+$/, "", text); return text }
    function place(address, member, derived_by) {
      printf "%s|%s|%s|%s|%s|%s\n", file, value["sha256"], address, member, derived_by, value["origin"]
    }
    function end_file() {
      if (file != "") {
        place(value["address"], value["member"], value["derived_by"])
        if (value["other_address"] != "") place(value["other_address"], value["other_member"], "")
      }
      file = ""
      delete value
    }
    FNR == 1 {
      end_file()
      sub(/^\357\273\277/, "")  # a byte order mark
    }
    /^[ \t]*[#;]/ { next }
    /^[ \t]*\[/ {
      end_file()
      if (match($0, /\[[ \t]*file[ \t]+[^]]*\]/)) {
        file = substr($0, RSTART, RLENGTH - 1)
        sub(/^\[[ \t]*file[ \t]+/, "", file)
        file = trim(file)
      }
      next
    }
    file != "" && (at = index($0, "=")) {
      text = substr($0, at + 1)
      sub(/[ \t][#;].*$/, "", text)
      value[trim(substr($0, 1, at - 1))] = trim(text)
    }
    END { end_file() }' "$@"
}

usage() {
  cat <<'TEXT'
usage: jobs/get_data.sh [--help] [--catalogue FILE] [DIRECTORY]

Downloads the public data sets of the catalogue, and those of FILE, a catalogue of your own, into
DIRECTORY (default: $FAIRFRONT_DATA, or else ./data), one
folder per data set, as `fairfront --data-dir DIRECTORY` expects them. Files that are there and
whole are kept, so it may be run again; a file with other content is reported and left alone.
Files that are made of others, such as ACSIncome of a state, are made by a script beside this one (Python 3).
Files without a known address are named with their source, to be put there by hand, and are checked.

environment:
  FAIRFRONT_DATA_URL  a mirror of yours that has the same paths: in place of the hosts of all addresses,
                      such as https://archive.ics.uci.edu
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
  local url="$1"
  if [[ -n "${FAIRFRONT_DATA_URL:-}" && "$url" =~ ^https?://[^/]+(/.*)$ ]]; then
    url="$FAIRFRONT_DATA_URL${BASH_REMATCH[1]}"
  fi
  local file="$scratch/${url//\//_}"
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

# Makes `output` of what was downloaded, by a script beside this one and its options.
derive() {
  local plain="$1" output="$2" script
  local -a command
  read -ra command <<< "$3"
  script="${command[0]}"
  if [[ ! "$script" =~ ^[a-z0-9_]+\.py$ || ! -e "$here/$script" ]]; then
    printf 'get_data: derived_by = %s: there is no script of that name in %s\n' "$3" "$here" >&2
    return 1
  fi
  if ! command -v python3 > /dev/null; then
    printf "get_data: the program 'python3' is needed for %s\n" "$script" >&2
    return 1
  fi
  python3 "$here/$script" "${command[@]:1}" "$plain" "$output"
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
  local target="$1" sum="$2" path="$3" member="$4" derived_by="$5" archive found
  archive="$(download "$path")" || return 1
  extract "$archive" "$member" "$scratch/plain" || return 1
  if [[ -n "$derived_by" ]]; then
    derive "$scratch/plain" "$scratch/derived" "$derived_by" || return 1
    mv -- "$scratch/derived" "$scratch/plain" || return 1
  fi
  found="$(sum_of "$scratch/plain")"
  if [[ "$found" != "$sum" ]]; then
    printf 'get_data: %s: expected SHA-256 %s, found %s\n' "$path" "$sum" "$found" >&2
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
  local directory="$1" file sum path member derived_by missing=0
  declare -A state
  while IFS='|' read -r file sum path member derived_by _; do
    [[ -n "$path" ]] || continue
    if [[ -z "${state[$file]:-}" ]]; then
      state[$file]="$(state_of "$directory/$file" "$sum")"
      [[ "${state[$file]}" == absent ]] ||
        printf 'get_data: %s: present, %s\n' "$directory/$file" "${state[$file]}"
    fi
    [[ "${state[$file]}" == absent ]] || continue
    if fetch "$directory/$file" "$sum" "$path" "$member" "$derived_by"; then state[$file]=whole; fi
  done <<< "$files"
  for file in "${!state[@]}"; do
    [[ "${state[$file]}" != whole ]] || continue
    printf 'get_data: %s is %s\n' "$directory/$file" "${state[$file]}" >&2
    missing=1
  done
  return "$missing"
}

# Files that nobody can download for you: absent ones are no failure, changed ones are.
check_by_hand() {
  local directory="$1" file sum path source state changed=0
  while IFS='|' read -r file sum path _ _ source; do
    [[ -n "$file" && -z "$path" ]] || continue
    state="$(state_of "$directory/$file" "$sum")"
    case "$state" in
      absent)
        printf 'get_data: %s: no address is known; put it there by hand (%s), SHA-256 %s\n' \
          "$directory/$file" "$source" "$sum"
        ;;
      *) printf 'get_data: %s: present, %s\n' "$directory/$file" "$state" ;;
    esac
    [[ "$state" != changed ]] || changed=1
  done <<< "$files"
  return "$changed"
}

main() {
  local -a catalogues=("$program_catalogue")
  while [[ "${1:-}" == -* ]]; do
    case "$1" in
      -h | --help) usage && exit 0 ;;
      --catalogue)
        [[ $# -ge 2 ]] || fail "--catalogue needs a file (see --help)" 2
        catalogues+=("$2")
        shift
        ;;
      *) fail "unknown option '$1' (see --help)" 2 ;;
    esac
    shift
  done
  [[ $# -le 1 ]] || fail "one directory, please (see --help)" 2
  local tool
  for tool in awk curl unzip gzip sha256sum; do
    command -v "$tool" > /dev/null || fail "the program '$tool' is needed" 2
  done
  local catalogue files
  for catalogue in "${catalogues[@]}"; do
    [[ -r "$catalogue" && ! -d "$catalogue" ]] || fail "there is no catalogue '$catalogue'"
  done
  files="$(files_of "${catalogues[@]}")"
  scratch="$(mktemp -d)"
  trap 'rm -rf -- "$scratch"' EXIT
  local directory="${1:-${FAIRFRONT_DATA:-data}}" status=0
  check_by_hand "$directory" || status=1
  fetch_all "$directory" || status=1
  return "$status"
}

main "$@"
