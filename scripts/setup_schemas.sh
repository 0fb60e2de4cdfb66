#!/bin/sh
# Fetches what the reports of --sarif and --junit are checked against, into build/schemas: OASIS's
# schema of SARIF 2.1.0 (as npm's @microsoft/jest-sarif has it), Jenkins' of JUnit reports (as the
# sources of pytest have it), and from PyPI what reads schemas. Without them the test is skipped.
set -eu
cd "$(dirname "$0")/.."
folder=build/schemas
[ ! -e "$folder/ready" ] || exit 0
echo "fetching the schemas of reports" >&2
fetch() {
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  python3 -m venv "$folder/python" &&
    timeout 300 "$folder/python/bin/pip" install --quiet --disable-pip-version-check \
      jsonschema==4.23.0 xmlschema==3.4.3 >&2 &&
    timeout 300 "$folder/python/bin/pip" download --quiet --disable-pip-version-check --no-deps \
      --no-binary :all: --dest "$scratch" pytest==8.3.3 >&2 &&
    tar xzf "$scratch/pytest-8.3.3.tar.gz" -C "$scratch" &&
    cp "$scratch/pytest-8.3.3/testing/example_scripts/junit-10.xsd" "$folder" &&
    (cd "$scratch" && npm pack --silent @microsoft/jest-sarif@1.0.0-beta.0 >/dev/null && tar xzf ./*jest-sarif*.tgz) &&
    cp "$scratch/package/lib/schemas/sarif-2.1.0-rtm.5.json" "$folder"
}
mkdir -p "$folder"
if fetch; then
  touch "$folder/ready"
else
  echo "they could not be fetched: the test of reports will be skipped" >&2
fi
