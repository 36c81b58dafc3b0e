#!/bin/sh
# Makes the environment of rbdlib in .venv, or leaves it alone when it is up to date.
# The Makefile calls it; by hand: sh tools/environment.sh
# PYTHON=/path/to/python chooses the Python that .venv is made from.

set -u
cd "$(dirname "$0")/.." || exit 1

VENV=.venv
STAMP=$VENV/rbdlib-environment
NEWEST_WITH_WHEELS=14
KEY="$(cat pyproject.toml constraints.txt tools/environment.sh | cksum) $(pwd)"
FOUND_OLD=''
FOUND_WITHOUT_VENV=''

say() { printf '%s\n' "$*" >&2; }

version_of() { "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null; }

# is_supported python newest: at least 3.11 and at most 3.newest.
is_supported() { "$1" -c "import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, $2))" 2>/dev/null; }

# ensurepip is what Debian and Ubuntu leave out of Python until pythonX.Y-venv is installed.
has_venv() { "$1" -c 'import venv, ensurepip' 2>/dev/null; }

# is_usable python newest: succeeds when it can make the environment; otherwise remembers why it cannot.
is_usable() {
    version=$(version_of "$1") || return 1
    [ -n "$version" ] || return 1
    if ! is_supported "$1" "$2"; then
        is_supported "$1" 99 || FOUND_OLD="${FOUND_OLD:-$1 is Python $version}"
        return 1
    fi
    if ! has_venv "$1"; then
        FOUND_WITHOUT_VENV="${FOUND_WITHOUT_VENV:-$version}"
        return 1
    fi
}

# The newest Python that this machine's package manager offers, as X.Y; 3.11 when it cannot say.
offered_version() {
    for version in 3.14 3.13 3.12 3.11; do
        if command -v apt-cache >/dev/null 2>&1 && [ -n "$(apt-cache show "python$version" 2>/dev/null)" ]; then
            echo "$version"
            return
        fi
    done
    echo 3.11
}

advise_and_stop() {
    say ''
    if [ -n "$FOUND_WITHOUT_VENV" ]; then
        say "Python $FOUND_WITHOUT_VENV is here, but without its venv module, which keeps rbdlib's packages apart from your system."
        packages="python$FOUND_WITHOUT_VENV-venv"
    else
        say "rbdlib needs Python 3.11 or newer; ${FOUND_OLD:-no Python was found}."
        version=$(offered_version)
        packages="python$version python$version-venv"
    fi
    say 'On Debian or Ubuntu, install it with'
    say ''
    sudo=$([ "$(id -u)" = 0 ] || echo 'sudo ')
    say "    ${sudo}apt update && ${sudo}apt install $packages"
    say ''
    say 'and give the same make command again. If apt does not know that package, or on another system, there are'
    say 'two other ways: PYTHON=/path/to/python3.12 in front of make chooses a Python that you installed yourself,'
    say 'and "conda env create -f environment.yml" makes the same environment with conda.'
    exit 1
}

choose_python() {
    if [ -n "${PYTHON:-}" ]; then
        if is_usable "$PYTHON" 99; then
            CHOSEN=$PYTHON
            return
        fi
        if [ -z "$FOUND_OLD$FOUND_WITHOUT_VENV" ]; then
            say "PYTHON=$PYTHON does not run as a Python. Give the path of a Python 3.11 or newer, or leave PYTHON out."
            exit 1
        fi
        advise_and_stop
    fi
    # A Python newer than the pinned packages is the second choice: they may have no wheels for it yet.
    for newest in $NEWEST_WITH_WHEELS 99; do
        for candidate in python3 python3.14 python3.13 python3.12 python3.11 python; do
            if is_usable "$candidate" "$newest"; then
                CHOSEN=$candidate
                return
            fi
        done
    done
    advise_and_stop
}

make_venv() {
    choose_python
    say "rbdlib: making .venv with $(command -v "$CHOSEN") (Python $(version_of "$CHOSEN"))."
    if ! "$CHOSEN" -m venv --clear "$VENV"; then
        rm -rf "$VENV"
        FOUND_WITHOUT_VENV=$(version_of "$CHOSEN")
        advise_and_stop
    fi
}

install() {
    "$VENV/bin/python" -m pip install --disable-pip-version-check --no-input --constraint constraints.txt "$@" && return
    say ''
    say 'rbdlib: the packages could not be installed; the last lines above are what pip says about it.'
    say 'The usual causes are no network, a proxy that pip does not know of (set https_proxy), or a full disk.'
    say 'Give the same make command again afterwards: it carries on from where it stopped.'
    exit 1
}

# Without these JupyterLab asks every newcomer about news, and goes to the network to look for it.
quiet_jupyterlab() {
    mkdir -p "$VENV/share/jupyter/lab/settings"
    printf '%s\n' '{"@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": false}}' \
        >"$VENV/share/jupyter/lab/settings/overrides.json"
}

# The Python that the user asks for by name differs from the one that .venv was made from.
another_python_wanted() { [ -n "${PYTHON:-}" ] && [ "$(version_of "$PYTHON")" != "$(version_of "$VENV/bin/python")" ]; }

if [ "$(cat "$STAMP" 2>/dev/null)" = "$KEY" ] && "$VENV/bin/python" -c '' 2>/dev/null && ! another_python_wanted; then
    exit 0
fi

rm -f "$STAMP"
if another_python_wanted || ! is_supported "$VENV/bin/python" 99 || ! "$VENV/bin/python" -c 'import pip' 2>/dev/null; then
    make_venv
fi

say 'rbdlib: installing the packages into .venv (once; about 160 MB to fetch, one to three minutes).'
if [ -t 1 ]; then QUIET=''; else QUIET='--quiet'; fi
# hatchling first and without build isolation: the version that builds rbdlib is then a pinned one too.
install $QUIET hatchling
install $QUIET --no-build-isolation --editable '.[book,test]'
quiet_jupyterlab
# matplotlib lists the fonts on its first import, and says so on stderr when that is slow: done here, no notebook shows it.
"$VENV/bin/python" -c 'import matplotlib.font_manager' >/dev/null 2>&1

printf '%s\n' "$KEY" >"$STAMP"
say "rbdlib: the environment in .venv is ready."
