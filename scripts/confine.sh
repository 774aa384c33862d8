#!/bin/sh
# Runs a command where a broken program can do no harm. Needs root.
#   sh scripts/confine.sh HOME OUT GROUP COMMAND...
# The command starts in HOME/tree, where the files in OUT/changed take the place of those of the same name. What
# it writes is lost, except below OUT; the rest of the machine is read-only, /tmp is empty and HOME is /tmp. Its
# processes have a PID namespace of their own and end with it; its control groups are below one named GROUP.
set -eu
if [ "${BOTEQUIM_CONFINED:-}" != yes ]; then
    BOTEQUIM_CONFINED=yes exec unshare --mount --pid --fork --kill-child --mount-proc sh "$0" "$@"
fi
home=$1 out=$2 group=$3
shift 3
unset BOTEQUIM_CONFINED
# bwrap in a further PID namespace looks up its child's small number in this one's /proc: let it find a process
for _ in 2 3 4 5 6 7; do sleep infinity & done

while IFS=: read -r _ controllers path; do
    case $controllers in
        *cpu|*cpu,*|*memory*|*pids*) top=/sys/fs/cgroup/$controllers ;;
        "") top=/sys/fs/cgroup/unified; [ -d $top ] || top=/sys/fs/cgroup ;;
        *) continue ;;
    esac
    mkdir -p "$top$path/$group"
    echo 0 > "$top$path/$group/cgroup.procs"
    mount --bind "$top$path/$group" "$top"
done < /proc/self/cgroup

mount --bind "$home" /mnt
mount -t tmpfs tmpfs /tmp
mkdir -p "$home"
mount --move /mnt "$home"
mount -t tmpfs tmpfs /mnt
mkdir /mnt/upper /mnt/work
mount -t overlay overlay \
    -o "lowerdir=$out/changed:$home/tree,upperdir=/mnt/upper,workdir=/mnt/work" "$home/tree"
mount --bind "$out" "$out"
mount -o remount,bind,ro "$home"
mount -o remount,bind,ro /
cd "$home/tree"
export HOME=/tmp
"$@"  # not exec: as process 1 this shell reaps orphans
