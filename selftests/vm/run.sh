#!/bin/bash
# run.sh - boot a cached kernel in an emulated machine and run a command in it.
#
# usage: run.sh [options] -- CMD...
#	-k VER		kernel: 6.1, 6.12 (default) or 7.3
#	-m MEM		memory, default 6G		-c CPUS	default 2
#	-t SECONDS	time limit, default 600 (times HPBUF_TIMEOUT_SCALE)
#	-n		two NUMA nodes			-a 'WORDS' kernel command line
#	-p CPU		QEMU's CPU model		-q 'OPTS'  more for QEMU
#	-s DIR		the directory the guest may write to
#	-r DIR		another root than this machine's, and the newest kernel in its
#			/boot in place of VER
#	-l FILE		serial log, default build/vm/VER-TIME-PID.log; the full
#			dmesg is kept beside it as FILE.dmesg
#	-w		do not scan the logs for warnings
#	-b FILE		the guest's memory, as large as that or larger; one guest at a
#			time. What is in memory already is not touched for the first time
#			by each guest, and is what the last one left (not with -n)
# CMD is run by root's shell in the current directory; several words are quoted
# as they are, a single word may be any shell text.
#
# Guarantees: the guest sees this machine's files at their own paths, read-only
# below an overlay that is thrown away; only DIR is written for real.  KVM is
# never used.  The output of CMD is stdout.  Exit status: CMD's own; 124 time
# limit; 125 the guest died or never came up; 126 CMD succeeded but the kernel
# log has something bad.  The logs are always kept.  The emulator never outlives
# this script.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

ver=6.12 mem=6G cpus=2 limit=600 append="" qopts="" numa="" share="" log="" scan=1 root=/ ram=""
cpu=qemu64,+pdpe1gb,+rdtscp,+smep,+smap
while getopts k:m:c:t:np:a:q:s:r:l:wb: o; do
	case $o in
	k) ver=$OPTARG ;;
	m) mem=$OPTARG ;;
	c) cpus=$OPTARG ;;
	t) limit=$OPTARG ;;
	n) numa=1 ;;
	p) cpu=$OPTARG ;;
	a) append=$OPTARG ;;
	q) qopts=$OPTARG ;;
	s) share=$OPTARG ;;
	r) root=$OPTARG ;;
	l) log=$OPTARG ;;
	w) scan="" ;;
	b) ram=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || { say "no command"; exit 2; }

if [ "$root" = / ]; then
	"$vm/fetch-kernel.sh" "$ver"
	kernel=$(kernel_dir "$ver")
	rel=$(cat "$kernel/release") image=$kernel/vmlinuz modroot=$kernel/modroot
	[ ! -e "$kernel/vmlinux" ] || image=$kernel/vmlinux
	modules=$(realpath "$modroot/lib/modules")
else
	root=$(realpath "$root") ver=root
	image=$(find "$root/boot" -name 'vmlinuz-*' | sort -V | tail -n 1)
	[ -n "$image" ] || die "no kernel in $root/boot"
	rel=${image##*/vmlinuz-} modroot=$root modules=/lib/modules
fi
limit=$((limit * ${HPBUF_TIMEOUT_SCALE:-1}))
log=${log:-$top/build/vm/$ver-$(date +%H%M%S)-$$.log}
mkdir -p "$(dirname "$log")"
: >"$log"
rm -f "$log.dmesg"
if [ -n "$share" ]; then
	mkdir -p "$share"
	share=$(realpath "$share")
fi

tmp=$(mktemp -d)
pid=""
# shellcheck disable=SC2317 # the traps call it
stop()
{
	[ -z "$pid" ] || kill "$pid" 2>/dev/null || true
	[ -z "$pid" ] || wait "$pid" 2>/dev/null || true
	rm -rf "$tmp"
}
trap stop EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# The initial root: busybox, our init, and the modules that reach the 9p root.
make_initrd()
{
	local d=$tmp/initrd m ko n=100

	mkdir -p "$d"/{bin,proc,sys,dev,lower,over,new,mod}
	cp "$(command -v busybox)" "$d/bin/busybox"
	cp "$vm/guest-init.sh" "$d/init"
	for m in virtio_pci 9pnet_virtio 9p virtio_console overlay; do
		# modules that are built in have no file and need none
		while read -r ko; do
			compgen -G "$d/mod/*-$(basename "${ko%.ko*}").ko" >/dev/null && continue
			n=$((n + 1))
			unpack "$ko" >"$d/mod/$n-$(basename "${ko%.ko*}").ko"
		done < <(modprobe -d "$modroot" -S "$rel" --show-depends "$m" 2>/dev/null |
			awk '$1 == "insmod" { print $2 }')
	done
	(cd "$d" && find . -print0 | cpio -o0 -H newc --quiet) >"$tmp/initrd.img"
}

unpack()
{
	case $1 in
	*.xz)	xz -dc "$1" ;;
	*.zst)	zstd -dcq "$1" ;;
	*.gz)	gzip -dc "$1" ;;
	*)	cat "$1" ;;
	esac
}

# The command and what init must know, in the directory both sides write.
make_io()
{
	local d=$tmp/io keep=""

	mkdir "$d"
	# a tmpfs on /tmp must not hide what the guest needs from there
	case "$PWD/ $top/ $share/ $modules/" in
	/tmp/* | *" /tmp/"*) keep=1 ;;
	esac
	printf 'SHARE=%q\nMODULES=%q\nKEEP_TMP=%q\n' "$share" \
		"$modules" "$keep" >"$d/env"
	{
		printf 'export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n'
		printf 'export HOME=/root LANG=C.UTF-8 HPBUF_GUEST=%q\n' "$ver"
		printf 'cd %q 2>/dev/null || cd /\n' "$PWD"
		env | sed -nE 's/^(HPBUF_[A-Z_]*|HPCTL)=.*/\1/p' | while read -r name; do
			printf 'export %s=%q\n' "$name" "${!name}"
		done
		if [ $# = 1 ]; then
			printf '%s\n' "$1"
		else
			printf '%q ' "$@"
			printf '\n'
		fi
	} >"$d/cmd"
}

# fs TAG PATH [OPTION]: one 9p export.
fs()
{
	args+=(-fsdev "local,id=$1,path=${2//,/,,},security_model=none,multidevs=remap${3:-}"
		-device "virtio-9p-pci,fsdev=$1,mount_tag=$1")
}

# MiB from 512, 512M or 6G.
mib()
{
	case $1 in
	*[Gg])	echo $((${1%[Gg]} * 1024)) ;;
	*)	echo "${1%[Mm]}" ;;
	esac
}

make_initrd
make_io "$@"

thread=multi
[[ $qopts != *-icount* ]] || thread=single
# shellcheck disable=SC2054 # QEMU's commas
args=(-accel "tcg,thread=$thread" -cpu "$cpu" -m "$(mib "$mem")" -smp "$cpus"
	-nodefaults -no-user-config -no-reboot -display none -vga none
	-serial "file:$log" -kernel "$image" -initrd "$tmp/initrd.img"
	-device virtio-serial-pci -chardev file,id=out,path=/dev/fd/1
	-device virtserialport,name=out,chardev=out)
fs root "$root" ,readonly=on
fs io "$tmp/io"
[ -z "$share" ] || fs share "$share"
if [ -n "$ram" ] && [ -z "$numa" ]; then
	args+=(-machine memory-backend=ram
		-object "memory-backend-file,id=ram,size=$(mib "$mem")M,mem-path=$ram,share=on,align=2M")
fi
if [ -n "$numa" ]; then
	half=$(($(mib "$mem") / 2))
	for n in 0 1; do
		args+=(-object "memory-backend-ram,id=m$n,size=${half}M"
			-numa "node,nodeid=$n,memdev=m$n")
	done
	for ((n = 0; n < cpus; n++)); do
		args+=(-numa "cpu,node-id=$((n * 2 / cpus)),socket-id=$n")
	done
	args[7]="$cpus,sockets=$cpus"
fi
# With all detectors on, interpreting the machine's ACPI methods runs into their time
# limit; the interrupts are known without them.
[[ $ver != *-debug ]] || append="pci=noacpi $append"
# before 6.15 this one corrupts memory when hugetlb gets a 1 GiB page
[[ $ver != 7.3-debug ]] || append="page_owner=on $append"
# An emulated CPU can be starved for longer than the lock-up detectors expect. Its time
# stamp counter is the emulator's for all of them; 6.1 does not trust several of this
# make, and takes a clock that costs more.
# shellcheck disable=SC2206 # words on purpose
args+=($qopts -append "console=ttyS0 earlyprintk=serial loglevel=5 log_buf_len=4M \
watchdog_thresh=60 rcupdate.rcu_cpu_stall_timeout=120 panic=-1 oops=panic mitigations=off nokaslr tsc=reliable $append")

# QEMU opens its stdout anew, which works as it is always a pipe.  A dead parent
# takes the chain down with it.
start()
{
	begun=$SECONDS
	: >"$log"
	setpriv --pdeathsig TERM timeout -k 5 "$limit" \
		setpriv --pdeathsig KILL qemu-system-x86_64 "${args[@]}" \
		</dev/null > >(exec cat) 2>"$tmp/qemu.err" &
	pid=$!
}

# False when the guest died before it ran anything, or is still booting after
# HPBUF_BOOT_LIMIT seconds (120): the emulator hangs there now and then, or loses a
# race with the kernel that patches its own code ("Oops: int3" on another CPU).
# Nothing of ours has been loaded by then.
came_up()
{
	local tenths=0 limit=$((${HPBUF_BOOT_LIMIT:-120} * 10))

	while [ ! -e "$tmp/io/up" ]; do
		kill -0 "$pid" 2>/dev/null || return 1
		[ $((tenths += 2)) -lt "$limit" ] || return 1
		sleep 0.2
	done
}

for try in 1 2 3; do
	start
	came_up && break
	say "the guest did not come up (try $try)"
	kill "$pid" 2>/dev/null || true
	[ "$try" != 3 ] || break
	wait "$pid" || true
	mv "$log" "$log.boot$try"
done
status=0
wait "$pid" || status=$?
pid=""
wait || true	# the reader of the pipe

[ ! -e "$tmp/io/dmesg" ] || cp "$tmp/io/dmesg" "$log.dmesg"
logs=("$log")
[ ! -e "$log.dmesg" ] || logs+=("$log.dmesg")
bad=""
[ -z "$scan" ] || bad=$("$vm/scan-log.sh" "${logs[@]}") || true

if [ -s "$tmp/io/rc" ]; then
	rc=$(cat "$tmp/io/rc")
elif [ "$status" = 124 ] || { [ "$status" = 137 ] && [ $((SECONDS - begun)) -ge "$limit" ]; }; then
	say "time limit of $limit s (log: $log)"
	rc=124
else
	say "the guest ended without a result (log: $log)"
	{
		cat "$tmp/qemu.err"
		tail -n 40 "$log"
	} >&2
	rc=125
fi
if [ -n "$bad" ]; then
	say "bad lines in the kernel log ($log):"
	printf '%s\n' "$bad" | sed 's/^/  /' >&2
	[ "$rc" != 0 ] || rc=126
fi
exit "$rc"
