#!/bin/sh
# Runs tests under each supported Python found here that `make test` has not used, each in an environment of its
# own under .venvs, with the package installed as a user has it where there is no C compiler: a wheel, uncompiled.
# `sh scripts/pythons.sh` runs the tests listed in tests/versions.txt, all versions at once;
# `sh scripts/pythons.sh all` runs every test, one version after the other.
# With BOTEQUIM_NO_SKIP=1 all versions must be there.
set -eu
cd "$(dirname "$0")/.."
which=${1:-listed}
export PIP_DISABLE_PIP_VERSION_CHECK=1 BOTEQUIM_COMPILE=0
used=$(.venv/bin/python -c 'import sys; print("%d.%d" % sys.version_info[:2])')  # by make test
logs=build/pythons
rm -rf build/wheel "$logs"
mkdir -p build/wheel "$logs"

find_python() {
    for candidate in "python$1" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$1".*/bin/python; do
        if "$candidate" -c "import sys, venv; sys.exit('%d.%d' % sys.version_info[:2] != '$1')" 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
}

prepare() {
    home=.venvs/$1
    began=$(date +%s)
    [ -x "$home/bin/pip" ] || "$2" -m venv "$home"
    if [ "$which" = all ]; then
        "$home/bin/pip" install -qq -r requirements/dev.txt
    else
        "$home/bin/pip" install -qq -c requirements/dev.txt pytest pytest-xdist hypothesis babel pyte
    fi
    # the wheel has nothing compiled in it: one is enough
    [ -n "$(ls build/wheel)" ] || "$home/bin/pip" wheel -qq --no-deps --wheel-dir build/wheel .
    wheel=$(ls build/wheel/*.whl)
    extras=swiss,web
    [ "$which" = listed ] || extras=cluster,pictures,postgres,swiss,web
    "$home/bin/pip" install -qq --force-reinstall --no-deps "$wheel"
    "$home/bin/pip" install -qq -c requirements/dev.txt "$wheel[$extras]"
    echo "Python $1: $("$home/bin/python" --version) is ready in $(($(date +%s) - began)) s"
}

missing=""
versions=""
for version in 3.11 3.12 3.13; do
    [ "$version" != "$used" ] || continue
    python=$(find_python "$version")
    if [ -z "$python" ]; then
        missing="$missing $version"
        continue
    fi
    prepare "$version" "$python"
    versions="$versions $version"
done

failed=""
if [ "$which" = all ]; then
    for version in $versions; do
        echo "Python $version: every test"
        ".venvs/$version/bin/pytest" -n auto -q -p no:cacheprovider -m "" || failed="$failed $version"
    done
else
    echo "Python$versions: the tests of tests/versions.txt"
    trap 'kill $running 2>/dev/null || true' INT TERM
    running=""
    for version in $versions; do
        # shellcheck disable=SC2046 # words
        ".venvs/$version/bin/pytest" -n 2 -q -p no:cacheprovider $(grep '^tests/' tests/versions.txt) \
            >"$logs/$version" 2>&1 &
        running="$running $!"
    done
    for version in $versions; do
        process=${running# }
        process=${process%% *}
        running=${running# "$process"}
        if wait "$process"; then
            echo "Python $version: $(tail -n 1 "$logs/$version")"
        else
            cat "$logs/$version"
            failed="$failed $version"
        fi
    done
fi
if [ -n "$missing" ]; then
    echo "not found here:$missing"
    [ -z "${BOTEQUIM_NO_SKIP:-}" ] || exit 1
fi
if [ -n "$failed" ]; then
    echo "tests failed under Python$failed"
    exit 1
fi
