#!/bin/sh
# Runs the tests under each supported Python found here that make test has not used, each in an environment of
# its own under .venvs, with the package installed as a user would have it where there is no C compiler: a
# wheel, uncompiled.
# With BOTEQUIM_NO_SKIP=1 all of them must be there.
set -eu
cd "$(dirname "$0")/.."
export PIP_DISABLE_PIP_VERSION_CHECK=1 BOTEQUIM_COMPILE=0
missing=""
newest=3.13
tested=$(.venv/bin/python -c 'import sys; print("%d.%d" % sys.version_info[:2])')  # by make test
for version in 3.11 3.12 $newest; do
    [ "$version" != "$tested" ] || continue
    python=""
    for candidate in "python$version" "$HOME"/.pyenv/versions/"$version".*/bin/python; do
        if "$candidate" -c '' 2>/dev/null; then python=$candidate; fi
    done
    if [ -z "$python" ]; then
        missing="$missing $version"
        continue
    fi
    home=.venvs/$version
    [ -x "$home/bin/pip" ] || "$python" -m venv "$home"
    "$home/bin/pip" install -qq -r requirements/dev.txt
    "$home/bin/pip" install -qq .
    "$home/bin/pip" install -qq --force-reinstall --no-deps .
    echo "Python $version: $("$home/bin/python" --version)"
    # what takes long and runs mostly outside of Python is run with the newest alone; the zoo by make test only
    slow="--ignore tests/test_zoo.py --ignore tests/test_zoo_ours.py"
    if [ "$version" != "$newest" ]; then
        for name in check sandbox cup_run cup_day containers entrants_elsewhere replay cli_pictures play watch \
                champions champion_tiles rps_champion uno_champion search_agrees export export_cards export_havana; do
            slow="$slow --ignore tests/test_$name.py"
        done
    fi
    "$home/bin/pytest" -n auto -q -p no:cacheprovider $slow
done
if [ -n "$missing" ]; then
    echo "not found here:$missing"
    [ "${BOTEQUIM_NO_SKIP:-}" = "" ] || exit 1
fi
