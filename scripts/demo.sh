#!/bin/sh
# The end of `make demo`: small cups of the programs in examples/, over every wire format, with their reports.
# It ends by itself, and needs neither root nor a browser. `sh scripts/demo.sh FOLDER GAME...` plays only the cups
# of these games, and writes to FOLDER.
set -eu
cd "$(dirname "$0")/.."
folder=${1:-build/demo}/cups
[ $# = 0 ] || shift
botequim=${BOTEQUIM:-.venv/bin/botequim}
trust=
rm -rf "$folder"
mkdir -p "$folder"

# start GAME OPTION...: begins a cup file, in which each two entrants play two games
start() {
    game=$1 file=$folder/$1.toml
    shift
    printf '\n━━━ A cup of %s ━━━\n' "$game"
    printf 'name = "Demo: %s"\ngame = "%s"\nseed = "demo"\n' "$game" "$game" >"$file"
    [ $# = 0 ] || printf '[options]\n%s\n' "$@" >>"$file"
    printf '[[stages]]\nname = "league"\nformat = "round_robin"\ngames = 2\nplayoff = "none"\n' >>"$file"
}

# enter FOLDER PROGRAM "how it talks": adds an example to the cup, if its language is on this machine
enter() {
    if command -v "$2" >/dev/null; then
        printf '[[entrants]]\nname = "%s"\nbot = "%s"\n' "$3" "$PWD/examples/$1" >>"$file"
    else
        echo "There is no $2 on this machine, so \"$3\" does not take part."
    fi
}

# finish: adds a built-in player, plays the cup, and writes its report
finish() {
    printf '[[entrants]]\nname = "greedy, built in"\nbot = "greedy"\n' >>"$file"
    status=0
    "$botequim" cup run "$file" $trust || status=$?
    if [ $status = 2 ] && [ -z "$trust" ]; then
        echo "These bots are ours, so they may run without isolation."
        trust=--trust status=0
        "$botequim" cup run "$file" $trust || status=$?
    fi
    [ $status = 0 ] || exit $status
    "$botequim" cup report "$file" --replays 2 >"$folder/$game.txt"
    sed -n 1p "$folder/$game.txt"
}

cup_cubos() {
    start cubos
    enter cubos node "cubos over HTTP (JavaScript)"
    enter arena-once python3 "arena, a process per question (Python)"
    finish
}

cup_havana() {
    start havana
    enter havana python3 "havana, a class (Python)"
    enter arena-http node "arena over HTTP (JavaScript)"
    finish
}

cup_uno() {
    start uno
    enter uno cc "uno over lines (C)"
    enter arena-lines python3 "arena over lines (Python)"
    finish
}

cup_rps() {
    start rps "rounds = 5"
    enter rps python3 "rps, a process per round (Python)"
    enter arena-lines python3 "arena over lines (Python)"
    finish
}

echo
echo "Now the programs of examples/ play small cups, over every wire format. This takes about half a minute."
[ $# != 0 ] || set -- cubos havana uno rps
for name; do
    "cup_$name"
done
cat <<EOF

The live pages of these cups, with a replay of every game, are at http://127.0.0.1:8080/ after this command:
  $botequim serve $folder/*.toml
EOF
