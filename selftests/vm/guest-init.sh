#!/bin/busybox sh
# guest-init.sh - /init of the guests that run.sh starts (busybox sh; not for
# use on its own).
#
# Guarantees: the root is the host's, read-only, under a tmpfs overlay, so no
# write reaches the host; only /run/hpbuf and the directory named in its file
# "share" are the host's own.  The exit status of /run/hpbuf/cmd is left in
# /run/hpbuf/rc and the whole kernel log in /run/hpbuf/dmesg before power-off.
# A guest that dies leaves no rc.
# shellcheck shell=sh disable=SC1091
b=/bin/busybox
$b mount -t proc proc /proc
$b mount -t sysfs sys /sys
$b mount -t devtmpfs dev /dev
for m in /mod/*; do
	[ ! -e "$m" ] || $b insmod "$m"
done

p9=version=9p2000.L,trans=virtio,access=any,msize=524288
$b mount -t 9p -o "ro,$p9,cache=loose" root /lower || $b reboot -f
$b mount -t tmpfs -o mode=755 over /over
$b mkdir /over/u /over/w
$b mount -t overlay -o lowerdir=/lower,upperdir=/over/u,workdir=/over/w,xino=off over /new || $b reboot -f
for d in proc sys dev; do
	$b mount --move /$d /new/$d
	$b rm -rf "/$d" # holds a console node
	$b ln -s /new/$d /$d
done

cd /new || $b reboot -f
$b mount -t tmpfs -o mode=755 run run
$b mkdir -p dev/pts dev/shm dev/hugepages run/hpbuf run/lock
$b mount -t devpts -o mode=620,ptmxmode=666 pts dev/pts
$b mount -t tmpfs -o mode=1777 shm dev/shm
$b ln -sf /proc/self/fd dev/fd
$b ln -sf fd/0 dev/stdin
$b ln -sf fd/1 dev/stdout
$b ln -sf fd/2 dev/stderr
$b mount -t debugfs debugfs sys/kernel/debug
$b mount -t tracefs tracefs sys/kernel/tracing
$b mount -t cgroup2 cgroup2 sys/fs/cgroup
$b mount -t 9p -o "rw,$p9,cache=none" io run/hpbuf || $b reboot -f
. run/hpbuf/env
[ -z "$KEEP_TMP" ] && $b mount -t tmpfs -o mode=1777 tmp tmp
if [ -n "$SHARE" ]; then
	$b mkdir -p ".$SHARE"
	$b mount -t 9p -o "rw,$p9,cache=none" share ".$SHARE" || $b reboot -f
fi
$b mkdir -p lib/modules
$b mount --bind ".$MODULES" lib/modules
$b ip link set lo up
$b hostname guest

for p in sys/class/virtio-ports/*; do
	[ "$($b cat "$p/name")" = out ] && out=/new/dev/${p##*/}
done
# A process the command leaves behind may keep the pipe open: wait for the
# rest of the output, but not for ever.
$b mkfifo /out
$b cat /out >"$out" &
cat=$!
cd /
: >/new/run/hpbuf/up
# Not merely a chroot: from within one the kernel makes no user namespaces. In a mount
# namespace of its own the new root can be moved over the old, which we still need.
$b unshare -m $b sh -c "cd /new && $b mount --move . / &&
	exec $b chroot . /bin/bash /run/hpbuf/cmd" >/out 2>&1 </dev/null
echo $? >/new/run/hpbuf/rc.new
n=0
while [ $n -lt 30 ] && $b kill -0 $cat 2>/dev/null; do
	$b usleep 100000
	n=$((n + 1))
done
$b dmesg -r >/new/run/hpbuf/dmesg
$b mv /new/run/hpbuf/rc.new /new/run/hpbuf/rc
$b sync
$b poweroff -f
