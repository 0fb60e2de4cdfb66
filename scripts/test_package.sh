#!/bin/sh
# scripts/test_package.sh PACKAGE.deb FOLDER: installs the package in a bare Debian and sets up there,
# from docs/ci.md alone, tests with GoogleTest, Catch2, pytest and heddle_add_test(), and runs what
# the action and the page's GitLab job run. They have to pass, and to fail with a planted fault and a
# planted race. Needs root, debootstrap, a network, and a CUDA Toolkit in /usr/local/cuda, which the
# bare Debian sees too. FOLDER keeps the system for the next run.
# The reports are validated where scripts/setup_schemas.sh could fetch their schemas.
set -eu
[ $# -eq 2 ] || { sed -n '2,7s/^# //p' "$0"; exit 2; }
package=$(realpath "$1") folder=$(realpath -m "$2")
cd "$(dirname "$0")/.."
root=$folder/root work=$folder/root/work
export DEBIAN_FRONTEND=noninteractive LC_ALL=C
mkdir -p "$folder"
if [ ! -e "$folder/ready" ]; then
  debootstrap --variant=minbase bookworm "$root" http://deb.debian.org/debian
  touch "$folder/ready"
fi
rm -rf "$work" && mkdir -p "$work/src" "$root/usr/local/cuda"
cp "$package" "$root/root/heddle.deb"
cp tests/package/*.cu tests/package/*.py "$work/src"
cp /etc/resolv.conf "$root/etc/resolv.conf"

# The n-th block of a language in docs/ci.md, as a reader would copy it.
block() {
  awk -v language="$1" -v wanted="$2" '
    $0 == "```" language { ++n; inside = n == wanted; next }
    $0 == "```" { inside = 0 }
    inside' docs/ci.md
}
mkdir "$work/ctest" "$work/frameworks"
block cmake 1 >"$work/ctest/CMakeLists.txt"
block cmake 2 >"$work/frameworks/CMakeLists.txt"
block python 1 >"$work/src/reduce_pytest.py"
cp "$work"/src/reduce_test.cu "$work/ctest"
cp "$work"/src/sums_test.cu "$work"/src/scans_test.cu "$work/frameworks"


# The n-th step of action.yml that runs something, and the lines of the GitLab job.
step() {
  awk -v wanted="$1" '
    $1 == "steps:" { steps = 1 }
    steps && $1 == "run:" { inside = ++n == wanted; if ($2 != "|" && inside) { sub(/^ *run: /, ""); print }; next }
    inside && !/^        / { inside = 0 }
    inside { print substr($0, 9) }' action.yml
}
step 1 >"$work/action_install.sh"
step 2 >"$work/action_run.sh"
block yaml 2 | awk '/^  script:/ { inside = 1; next } inside && /^    - / { print substr($0, 7); next } { inside = 0 }' \
  >"$work/gitlab.sh"
for script in action_install action_run gitlab; do test -s "$work/$script.sh"; done

cat >"$work/run.sh" <<'END'
set -eu
apt-get update -qq
apt-get install -y -qq --no-install-recommends --reinstall /root/heddle.deb >/dev/null
# Before anything else is there: the command, an example, the manual, the completions.
heddle run /usr/share/doc/heddle/examples/simple_divergence.warp >/dev/null
(cd /usr/share/heddle && heddle run validation/capsules/simple_divergence.sm_90.G >/dev/null)
for command in run sweep diff step; do test -s "/usr/share/man/man1/heddle-$command.1"; done
for file in bash-completion/completions/heddle zsh/vendor-completions/_heddle \
  fish/vendor_completions.d/heddle.fish doc/heddle/copyright; do test -s "/usr/share/$file"; done
apt-get install -y -qq --no-install-recommends \
  cmake g++ make libgtest-dev catch2 python3-pytest bash-completion zsh fish >/dev/null
export PATH=/usr/local/cuda/bin:$PATH
python3 -c 'import heddle'

# Each shell completes a value.
bash -c '. /usr/share/bash-completion/bash_completion; . /usr/share/bash-completion/completions/heddle
  COMP_WORDS=(heddle run --gpu h2) COMP_CWORD=3 COMP_LINE="heddle run --gpu h2" COMP_POINT=19
  $(complete -p heddle | sed "s/.*-F \([^ ]*\).*/\1/"); printf "%s\n" "${COMPREPLY[@]}"' | grep -qx 'h200 *'
fish -c 'complete -C "heddle run --gpu h2"' | grep -q '^h200'
zsh -c 'autoload -U compinit; compinit -D -u; whence -w _heddle' | grep -q function

expect() {  # expect pass|fail COMMAND...
  wanted=$1; shift
  if "$@" >/work/log 2>&1; then got=pass; else got=fail; fi
  if [ $got != $wanted ]; then echo "should $wanted: $*"; cat /work/log; exit 1; fi
}
for plant in NOTHING PLANT_FAULT PLANT_RACE; do
  wanted=fail; [ $plant != NOTHING ] || wanted=pass
  for project in ctest frameworks; do
    cmake -S /work/$project -B /work/$project-$plant -DCMAKE_CUDA_ARCHITECTURES=90 \
      -DCMAKE_CUDA_FLAGS="-lineinfo -D$plant" >/work/log 2>&1 &&
      cmake --build /work/$project-$plant >>/work/log 2>&1 || { cat /work/log; exit 1; }
    for name in $(ctest --test-dir /work/$project-$plant -N | sed -n 's/.*Test *#[0-9]*: //p' | tr ' ' .); do
      expect $wanted ctest --test-dir /work/$project-$plant --no-tests=error -R "^$name\$"
      echo "$plant: $project $name: $wanted, as it should"
    done
  done
  mkdir -p /work/pytest-$plant && cd /work/pytest-$plant
  cp /work/src/*.py . && cp /work/ctest-$plant/reduce_test .
  nvcc -arch=sm_90 -lineinfo -D$plant -shared -Xcompiler -fPIC -cudart shared \
    -o libkernel_module.so /work/src/kernel_module.cu
  expect $wanted python3 -m pytest -q reduce_pytest.py
  expect $wanted heddle run --quiet --check races --junit heddle.xml --sarif heddle.sarif -- \
    python3 -m pytest -q session_test.py
  echo "$plant: pytest: $wanted, as it should"
  mkdir -p /work/action-$plant && cd /work/action-$plant && cp /work/ctest-$plant/reduce_test tests
  PACKAGE=/root/heddle.deb RUNNER_TEMP=/tmp bash -eo pipefail /work/action_install.sh >/dev/null
  expect $wanted env OPTIONS='--check all' RUN=./tests bash -eo pipefail /work/action_run.sh
  echo "$plant: action: $wanted, as it should"
  mkdir -p /work/gitlab-$plant && cd /work/gitlab-$plant
  { echo "#define $plant"; cat /work/src/reduce_test.cu; } >tests.cu
  expect $wanted bash -eo pipefail /work/gitlab.sh
  echo "$plant: GitLab job: $wanted, as it should"
  cd /work
done
END
unshare --mount sh -eu -c '
  mount --bind /usr/local/cuda "$1/usr/local/cuda"
  mount -t proc proc "$1/proc"
  mount --rbind /dev "$1/dev"
  chroot "$1" sh /work/run.sh' sh "$root"
scripts/setup_schemas.sh
[ -e build/schemas/ready ] || exit 0
find "$work" -name '*.sarif' -o -path '*reports/*.xml' -o -name heddle.xml | sort |
  xargs build/schemas/python/bin/python tests/package/validate.py build/schemas
