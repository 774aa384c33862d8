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
    # What runs mostly outside of Python (browsers, containers, the zoo), or thinks long when it is not compiled,
    # is for make test alone. A version between others that pass has its rules, wires, processes and cups tried.
    if [ "$version" = "$newest" ]; then
        which=""
        for name in zoo zoo_ours containers entrants_elsewhere replay web_pages web_show web_live web_votes \
                texts_pages galleries champions champion_tiles rps_champion uno_champion search_agrees \
                export export_cards export_havana export_images plain_install cubos_network; do
            which="$which --ignore tests/test_$name.py"
        done
    else
        which=""
        for name in cubos havana havana_words fives fives_words uno rps golden golden_wires referee verify \
                registry i18n cli cup_file cup_stages cup_store cup_playing course_host thinking transports \
                bare dialect_arena dialect_cubos dialect_havana dialect_rps dialect_uno contests web_api; do
            which="$which tests/test_$name.py"
        done
    fi
    "$home/bin/pytest" -n auto -q -p no:cacheprovider $which
done
if [ -n "$missing" ]; then
    echo "not found here:$missing"
    [ "${BOTEQUIM_NO_SKIP:-}" = "" ] || exit 1
fi
