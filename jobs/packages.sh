#!/usr/bin/env bash
# Installs the Debian packages (12; Ubuntu 24.04 has the same names) that are missing here.
#   jobs/packages.sh         what building, running, plotting and get_data.sh need
#   jobs/packages.sh report  also the charting library of analysis/report.py, from npm
#   jobs/packages.sh test    also what tests/run.sh needs; axe-core, which looks at that page, is from npm, too
set -euo pipefail

packages=(
  g++ cmake ninja-build git ca-certificates
  openmpi-bin libopenmpi-dev libhdf5-dev libboost-program-options-dev
  libfmt-dev libssl-dev zlib1g-dev nlohmann-json3-dev libeigen3-dev
  python3 python3-numpy python3-h5py python3-pandas python3-matplotlib
  curl unzip
)
# Its tests are skipped, and report.py says what is missing, where npm reaches no registry.
charting_library() {
  [[ $mode != run ]] || return 0
  local folder wanted=echarts/dist/echarts.min.js omit=(--omit=dev)
  folder=$(dirname "${BASH_SOURCE[0]}")/../analysis/fairfront_report
  [[ $mode != test ]] || wanted=axe-core/axe.min.js omit=()
  [[ ! -f $folder/node_modules/$wanted ]] || return 0
  npm install --prefix "$folder" --no-package-lock --no-audit --no-fund --ignore-scripts --loglevel=error "${omit[@]}" ||
    echo "no charting library: npm could not fetch it" >&2
}

mode=${1:-run}
case $mode in
  run) ;;
  report) ;;
  test)
    # Version 14 by name: another clang-format lays code out differently.
    packages+=(libgtest-dev libgmock-dev libbenchmark-dev librapidcheck-dev librandom123-dev libmpfr-dev
               libglpk-dev libnlopt-cxx-dev qemu-user shellcheck clang-format-14 clang-14 libclang-rt-14-dev
               ccache doxygen zsh man-db
               python3-onnx python3-pil python3-scipy python3-sklearn python3-pip python3-setuptools python3-wheel chromium chromium-driver)
    # tests/slurm runs the job scripts on a SLURM of its own: controller, node daemon, commands, and
    # the service by which they know each other. Without a slurm.conf in /etc they start nothing.
    packages+=(slurmctld slurmd slurm-client munge)
    ;;
  -h | --help)
    echo "usage: $0 [run|report|test]"
    exit 0
    ;;
  *)
    echo "usage: $0 [run|report|test]" >&2
    exit 2
    ;;
esac
# Node.js of other publishers brings its own npm, which conflicts with Debian's.
if [[ $mode != run ]] && ! command -v npm >/dev/null; then packages+=(npm); fi

if ! command -v apt-get >/dev/null; then
  # A cluster brings these as modules; CMake names whatever it does not find.
  echo "no apt-get here, nothing installed; needed are the equivalents of: ${packages[*]}" >&2
  exit 0
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null || true)
  grep -qx installed <<<"$status" || missing+=("$package")
done
if [[ ${#missing[@]} -eq 0 ]]; then
  echo "all ${#packages[@]} packages are installed"
  charting_library
  exit 0
fi

as_root=()
if [[ $EUID -ne 0 ]]; then
  if ! command -v sudo >/dev/null; then
    echo "neither root nor sudo; ask an administrator for: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi
echo "installing ${#missing[@]} missing packages: ${missing[*]}"
"${as_root[@]}" apt-get update -q
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -q --no-install-recommends "${missing[@]}"
charting_library
