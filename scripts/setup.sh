#!/bin/sh
# Makes an environment and installs Botequim into it: `sh scripts/setup.sh run` for playing, `... dev` for
# working on it, `... bench .venvs/bench` for measuring it; without a folder it is .venv.
# Installs Debian's python3-venv, bubblewrap and a font, and for working on it chromium, podman, zsh and fish,
# when they are missing and we may.
set -eu
cd "$(dirname "$0")/.."
kind=${1:-run}
home=${2:-.venv}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"
    elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then sudo "$@"
    else return 1
    fi
}

find_python() {
    for candidate in ${PYTHON:-} python3 python3.13 python3.12 python3.11; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
    echo "Botequim needs Python 3.11 or later; found none. Set PYTHON=/path/to/python3." >&2
    exit 1
}

if [ ! -x "$home/bin/pip" ]; then
    python=$(find_python)
    echo "Making $home with $($python --version) ..."
    if "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        "$python" -m venv "$home"
    else
        package=$("$python" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
        echo "Python has no venv module; installing $package ..."
        if ! { command -v apt-get >/dev/null 2>&1 && as_root apt-get -qq update \
               && as_root apt-get -qq install -y "$package" >/dev/null; }; then
            echo "That needs root. Ask your administrator for: apt-get install $package" >&2
            exit 1
        fi
        "$python" -m venv "$home"
    fi
fi
installed() {
    command -v apt-get >/dev/null 2>&1 && as_root true \
        && { as_root apt-get -qq install -y "$@" || { as_root apt-get -qq update \
             && as_root apt-get -qq install -y "$@"; }; }
}

if [ "$kind" != bench ] && ! command -v bwrap >/dev/null 2>&1; then
    installed bubblewrap >/dev/null 2>&1 \
        || echo "bubblewrap is missing: strangers' bots cannot be isolated (apt-get install bubblewrap)." >&2
fi
if [ ! -e /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf ]; then
    installed fonts-dejavu-core >/dev/null 2>&1 \
        || echo "The font DejaVu is missing: PNG and GIF may lack names (apt-get install fonts-dejavu-core)." >&2
fi
if [ "$kind" = dev ] && ! command -v chromium >/dev/null 2>&1; then
    installed chromium >/dev/null 2>&1 \
        || echo "chromium is missing: tests of pages are skipped (apt-get install chromium)." >&2
fi
if [ "$kind" = dev ] && ! { command -v zsh && command -v fish; } >/dev/null 2>&1; then
    installed --no-install-recommends zsh fish >/dev/null 2>&1 \
        || echo "zsh and fish are missing: tests of their completion fail (apt-get install zsh fish)." >&2
fi
engine="podman runc conmon netavark aardvark-dns catatonit uidmap iptables mmdebstrap git"
if [ "$kind" = dev ] && ! { command -v podman && command -v runc && command -v mmdebstrap; } >/dev/null 2>&1; then
    # shellcheck disable=SC2086 # words
    installed --no-install-recommends $engine >/dev/null 2>&1 \
        || echo "No container engine: tests of containers are skipped (apt-get install $engine)." >&2
fi
export PIP_DISABLE_PIP_VERSION_CHECK=1
if [ "$kind" != run ]; then
    echo "Installing what $kind needs ..."
    "$home/bin/pip" install -qq -r "requirements/$kind.txt"
fi
echo "Installing Botequim ..."
"$home/bin/pip" install -qq --editable ".[pictures,web]"
