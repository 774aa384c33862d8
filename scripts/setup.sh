#!/bin/sh
# Makes an environment and installs Botequim into it: `sh scripts/setup.sh run` for playing, `... dev` for
# working on it, `... bench .venvs/bench` for measuring it; without a folder it is .venv.
# Installs Debian packages that are missing, where that is allowed: python3-venv, bubblewrap and a font, and for
# working on it chromium, podman, postgresql, iproute2, iptables, zsh and fish. Every step says what it does and
# how long it took.
set -eu
cd "$(dirname "$0")/.."
kind=${1:-run}
home=${2:-.venv}
export PIP_DISABLE_PIP_VERSION_CHECK=1 DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# step "Doing something" command...: says so, and shows what the command printed only if it fails
step() {
    say=$1
    shift
    printf '%s ... ' "$say"
    began=$(date +%s)
    if "$@" >"$log" 2>&1; then
        echo "done in $(($(date +%s) - began)) s"
    else
        echo "failed after $(($(date +%s) - began)) s:"
        tail -n 20 "$log" | sed 's/^/    /'
        return 1
    fi
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"
    elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then sudo "$@"
    else
        echo "that needs root"
        return 1
    fi
}

apt_install() {
    as_root apt-get -q install -y --no-install-recommends "$@" && return
    as_root apt-get -q update && as_root apt-get -q install -y --no-install-recommends "$@"
}

find_python() {
    for candidate in "${PYTHON:-}" python3 python3.13 python3.12 python3.11; do
        if [ -n "$candidate" ] && "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
        then
            echo "$candidate"
            return
        fi
    done
    echo "Botequim needs Python 3.11 or later; found none. Set PYTHON=/path/to/python3." >&2
    exit 1
}

# need PACKAGES "what is missing without them" test...: remembers packages, unless the test succeeds
packages=""
without=""
need() {
    wanted=$1 loss=$2
    shift 2
    "$@" >/dev/null 2>&1 && return
    packages="$packages $wanted"
    without="$without
    $loss"
}
commands() {
    for name; do command -v "$name" || return 1; done
}

has_postgres() {
    command -v postgres || ls /usr/lib/postgresql/*/bin/postgres
}
# tests start servers of their own: a new installation of PostgreSQL must not start one, too
without_a_cluster() {
    conf=/etc/postgresql-common/createcluster.conf
    [ -e "$conf" ] && return
    as_root mkdir -p "${conf%/*}" && echo "create_main_cluster = false" | as_root tee "$conf"
}

[ -x "$home/bin/pip" ] || python=$(find_python)
[ -x "$home/bin/pip" ] || echo "Setting up Botequim in $home. This happens once, and takes two to five minutes."
if [ ! -x "$home/bin/pip" ]; then
    need "$("$python" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')" \
        "Python cannot make an environment" "$python" -c 'import ensurepip, venv'
fi
if [ "$kind" != bench ]; then
    need bubblewrap "strangers' bots cannot be isolated" commands bwrap
fi
need fonts-dejavu-core "PNG and GIF may lack names" test -e /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf
if [ "$kind" = dev ]; then
    need "chromium chromium-sandbox fonts-liberation" "tests of pages are skipped" commands chromium
    need "zsh fish" "tests of their completion fail" commands zsh fish
    need postgresql "tests of stores in PostgreSQL are skipped" has_postgres
    need "iproute2 iptables" "tests on several machines of a laboratory are skipped" commands ip iptables nsenter
    need "podman runc conmon netavark aardvark-dns catatonit uidmap iptables mmdebstrap git" \
        "tests of containers are skipped" commands podman runc mmdebstrap git
    need podman-compose "the test of the compose file is skipped" commands podman-compose
fi
case $packages in *postgresql*) without_a_cluster >/dev/null 2>&1 || true ;; esac
if [ -n "$packages" ]; then
    # shellcheck disable=SC2086 # words
    if ! step "Installing Debian packages (this takes a minute or two):$packages" apt_install $packages; then
        echo "Without them:$without" >&2
        echo "Ask your administrator for: apt-get install --no-install-recommends$packages" >&2
    fi
fi
if [ ! -x "$home/bin/pip" ]; then
    step "Making the environment $home with $("$python" --version) (a few seconds)" "$python" -m venv "$home"
fi
if [ "$kind" != run ]; then
    step "Installing the Python packages of requirements/$kind.txt (about a minute)" \
        "$home/bin/pip" install -r "requirements/$kind.txt"
fi
step "Installing Botequim and compiling its rules (about a minute)" \
    "$home/bin/pip" install --editable ".[pictures,web]"
if [ "$kind" = dev ]; then
    # else all processes of the first run compile all tests at the same time
    step "Compiling the tests (half a minute)" "$home/bin/pytest" --collect-only -qq -n0 || true
fi
