#!/usr/bin/env bash
# From a bare Debian or Ubuntu machine to the first front: installs what is missing, builds, runs
# configs/quickstart.ini on two ranks, shows the front and draws it.
set -euo pipefail

usage() {
  cat <<END
usage: jobs/quickstart.sh
Installs what is missing, builds build/release, and leaves quickstart.h5 and quickstart-front.png in
the folder of the source; build/release and these are replaced. It takes no arguments.
END
}
case ${1:-} in
  '') ;;
  -h | --help) usage; exit 0 ;;
  *) usage >&2; exit 2 ;;
esac

cd "$(dirname "${BASH_SOURCE[0]}")/.."

jobs/packages.sh

echo "== build"
cmake --preset release
cmake --build --preset release
export PATH=$PWD/build/release:$PATH

echo "== run"
mpirun=(mpirun -n 2)
if [[ $EUID -eq 0 ]]; then
  # Open MPI asks root twice, in words, since it cannot know that this is a container.
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi
if [[ $(nproc) -lt 2 ]]; then
  mpirun+=(--oversubscribe)
fi
"${mpirun[@]}" fairfront run configs/quickstart.ini -o quickstart.h5 --force

echo "== front"
fairfront show quickstart.h5
# Debian's interpreter has Debian's h5py; another one may come first on PATH.
/usr/bin/python3 analysis/plot_front.py quickstart.h5 -o quickstart-front.png

cat <<END

Done in $SECONDS s. In $PWD:
  quickstart.h5          the archive; 'build/release/fairfront verify quickstart.h5' checks it
  quickstart-front.png   its fronts
Next:
  jobs/get_data.sh                                  fetches the papers' data sets
  build/release/fairfront list                      experiments, methods and their options
  mpirun -n 4 build/release/fairfront run configs/clustering/adult-k10.ini -o adult-k10.h5
END
