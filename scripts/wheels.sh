#!/bin/sh
# Makes a folder with Botequim and everything that it needs, for machines without Internet:
# `sh scripts/wheels.sh` writes build/wheels, `sh scripts/wheels.sh FOLDER` another folder. This machine needs an
# Internet connection, or a folder of packages that PIP_FIND_LINKS names, and a C compiler. The modules of
# Botequim are compiled for this kind of machine and this minor version of Python: the other machines need the same.
set -eu
cd "$(dirname "$0")/.."
folder=${1:-build/wheels}
python=${PYTHON:-$(if [ -x .venv/bin/pip ]; then echo .venv/bin/python; else echo python3; fi)}
extras=cluster,pictures,postgres,swiss,web
export PIP_DISABLE_PIP_VERSION_CHECK=1
source=$(mktemp -d)
trap 'rm -rf "$source"' EXIT

# a copy without what earlier builds left: a file that was deleted since would be in the package
cp -R pyproject.toml setup.py README.md LICENSE src "$source"
find "$source/src" \( -name '*.so' -o -name '*.mo' -o -name '*.egg-info' -o -name __pycache__ \) -prune -exec rm -rf {} +
mkdir -p "$folder"
rm -f "$folder"/*.whl
"$python" -m pip wheel --quiet --constraint requirements/dev.txt --wheel-dir "$folder" "$source[$extras]"
case $(echo "$folder"/botequim-*.whl) in
*-none-any.whl) echo "The modules were not compiled: is there a C compiler? All machines of a cluster need the same." >&2 ;;
esac
version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
size=$(du -sh "$folder" | cut -f1)
cat <<EOF
$folder: $(ls "$folder" | wc -l) packages, $size, for Python $version on $(uname -s) $(uname -m)
Copy the folder to the other machine, and there:
    python$version -m venv /opt/botequim
    /opt/botequim/bin/pip install --no-index --find-links $(basename "$folder") 'botequim[cluster]'
EOF
