#!/bin/bash
# doctor.sh - "hpctl doctor" on a machine where all is well, and on the same with one
# thing broken: the check that is meant finds it, says how to fix it, and no other
# check changes its mind. The machine is a made-up tree below --root.
set -u
# shellcheck source=_hpctl.sh
. "$(dirname "$0")/_hpctl.sh"

python=${HPBUF_PYTHON:-/usr/bin/python3}
cc=$(command -v cc || command -v gcc)
if ! "$python" -c '' 2>/dev/null || [ -z "$cc" ]; then
	echo "1..0 # SKIP needs $python and a C compiler"
	exit 4
fi
version=$("$hpctl" --version | grep -oE '[0-9.]+$')
rel=6.12.0-test-amd64
root=$tmp/root

# put PATH [TEXT]
put()
{
	mkdir -p "$(dirname "$root/$1")"
	printf '%s\n' "${2-}" >"$root/$1"
}

# A machine with everything.
well()
{
	rm -rf "$root"
	put proc/sys/kernel/osrelease $rel
	put proc/cpuinfo "flags		: fpu pdpe1gb rdtscp"
	put proc/cmdline "quiet hugepagesz=1G hugepages=2"
	put proc/self/limits "Max locked memory         unlimited            unlimited            bytes"
	put proc/self/status "CapEff:	0000000000000000"
	put proc/self/cgroup "0::/"
	put lib/modules/$rel/build/Makefile
	put lib/modules/$rel/updates/dkms/hpbuf.ko
	put var/lib/dkms/hpbuf/"$version"/$rel/x86_64/module/hpbuf.ko
	put sys/module/hpbuf/version "$version"
	put sys/kernel/security/lockdown "[none] integrity confidentiality"
	put sys/kernel/mm/transparent_hugepage/enabled "always [madvise] never"
	put sys/kernel/mm/transparent_hugepage/defrag "always [madvise] never"
	put sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages 4
	put sys/devices/system/node/node0/hugepages/hugepages-2048kB/free_hugepages 3
	put sys/devices/system/cpu/cpu0/cpufreq/scaling_governor performance
	put etc/group "hpbuf:x:$(id -g):"
	put dev/hpbuf
	chmod 660 "$root/dev/hpbuf"
}

# The device, as the module of these two answers: a plain file with an ioctl().
cat >"$tmp/fake.c" <<'C'
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <linux/hpbuf.h>

int ioctl(int fd, unsigned long request, ...)
{
	struct hpbuf_caps *caps;
	va_list ap;

	va_start(ap, request);
	caps = va_arg(ap, struct hpbuf_caps *);
	va_end(ap);
	if (request != HPBUF_IOC_CAPS)
		return -1;
	memset(caps, 0, sizeof(*caps));
	caps->uapi_version = FAKE_UAPI;
	strcpy(caps->module_version, FAKE_VERSION);
	return 0;
}
C
# fake NAME UAPI VERSION
fake()
{
	"$cc" -shared -fPIC -w -isystem "$top/include/uapi" -I"$top/include/uapi" \
		-DFAKE_UAPI="$2" -DFAKE_VERSION="\"$3\"" -o "$tmp/$1.so" "$tmp/fake.c"
}
uapi=$(sed -n 's/^#define HPBUF_UAPI_VERSION[^0-9]*//p' "$top/include/uapi/linux/hpbuf.h")
if ! fake same "$uapi" "$version" || ! fake newer $((uapi + 1)) 99.0.0; then
	echo "1..0 # SKIP needs a C compiler with its library, and include/uapi in $top"
	exit 4
fi
device=same

# doctor: into $tmp/doc; netlink, pmu and thp-process are this machine's own.
doctor()
{
	LD_PRELOAD=$tmp/$device.so "$@" "$hpctl" doctor --root "$root" -j \
		>"$tmp/doc" 2>"$tmp/err" </dev/null
	rc=$?
}

cat >"$tmp/look.py" <<'P'
import json
import sys

doc = json.load(open(sys.argv[1]))
rows = {r["check"]: r for r in doc["results"]}
assert len(rows) == len(doc["results"]), "a check is there twice"
for own in ("netlink", "pmu", "thp-process"):
    if own not in sys.argv[2]:
        del rows[own]
check, state, found, fix = sys.argv[2:6]
for name, row in rows.items():
    assert row["state"] == "ok" or name == check, (name, row)
    assert (row["fix"] is None) == (row["state"] == "ok"), (name, row)
if check:
    row = rows[check]
    assert row["state"] == state, row
    assert found in row["found"], row
    assert fix in row["fix"], row
P

# broken NAME CHECK STATE FOUND FIX [COMMAND...]: what the doctor says
broken()
{
	local name=$1 why want=0

	doctor "${@:6}"
	why=$("$python" "$tmp/look.py" "$tmp/doc" "${@:2:4}" 2>&1) || want=1
	if [ $want = 1 ]; then
		result FAIL "$name" "$(tail -n 1 <<<"$why")"
	elif [ "$3" = fail ] && { [ $rc != 1 ] || ! grep -q "failed: .*$2" "$tmp/err"; }; then
		result FAIL "$name" "exit $rc: $(head -c 200 "$tmp/err")"
	else
		result OK "$name"
	fi
	well
}

well
broken "all is well" "" "" "" ""

# The five settings that people meet most.
rm -r "$root/lib/modules/$rel/build"
broken "no headers" headers warn "none for $rel" "apt-get install linux-headers-$rel"
device=newer
broken "an old tool on a new module" versions fail \
	"module 99.0.0 speaks interface $((uapi + 1))" "update hpctl to 99.0.0"
device=same
put etc/group "root:x:0:"
if [ "$(id -u)" = 0 ]; then
	broken "no group" group warn "no group hpbuf" "groupadd -r hpbuf"
else
	broken "no group" group fail "no group hpbuf" "groupadd -r hpbuf"
fi
put sys/kernel/mm/transparent_hugepage/enabled "always madvise [never]"
broken "THP never" thp warn "enabled never" \
	"echo madvise >/sys/kernel/mm/transparent_hugepage/enabled"
put proc/self/limits "Max locked memory         65536                65536                bytes"
broken "memlock 64 KiB" memlock fail "64.00 KiB" "/etc/security/limits.d/hpbuf.conf"

put proc/self/limits "Max locked memory         8388608              8388608              bytes"
broken "memlock 8 MiB" memlock warn "no page of 1 GiB" "memlock unlimited"
put proc/sys/kernel/osrelease 5.10.0-test
mkdir -p "$root/lib/modules/5.10.0-test"
cp -r "$root/lib/modules/$rel/." "$root/lib/modules/5.10.0-test/"
broken "an old kernel" kernel fail "5.10.0-test is too old" "6.1 or newer"
put proc/cpuinfo "flags		: fpu rdtscp"
broken "no 1 GiB pages" pages-1g warn "2 MiB pages work" "+pdpe1gb"
put proc/cpuinfo "flags		: fpu pdpe1gb hypervisor"
broken "a virtual machine" hypervisor warn "a virtual machine" "the machine itself"
put sys/kernel/mm/transparent_hugepage/hugepages-2048kB/enabled "always inherit madvise [never]"
broken "2 MiB switched off alone" thp warn "of 2 MiB never" "hugepages-2048kB/enabled"
put sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages 0
broken "empty pools" hugetlb warn "node 0 2M" "--reserve"
put proc/self/cgroup "0::/a/b"
put sys/fs/cgroup/a/memory.max 1073741824
put sys/fs/cgroup/a/b/memory.max max
broken "a limit of the parent cgroup" cgroup warn "1.00 GiB of memory in /a:" max_bytes
put sys/devices/system/cpu/cpu1/cpufreq/scaling_governor powersave
broken "one CPU saves power" governor warn "powersave on some CPUs" cpupower
put proc/cmdline "quiet init_on_free=1 debug_pagealloc=off"
broken "a slow kernel" cmdline warn init_on_free=1 "without init_on_free=1"
rm "$root/lib/modules/$rel/updates/dkms/hpbuf.ko"
broken "built, not installed" dkms warn "is built for $rel" "dkms install hpbuf/$version -k $rel"
rm -r "$root/var/lib/dkms/hpbuf/$version/$rel" "$root/lib/modules/$rel/updates"
put var/lib/dkms/hpbuf/"$version"/build/make.log
broken "a build that failed" dkms warn "failed" "make.log"

# Nothing but what keeps the module from being loaded: several checks fail.
several()
{
	local name=$1 check

	shift
	doctor
	for check; do
		if ! grep -q "failed: .*$check" "$tmp/err"; then
			result FAIL "$name" "exit $rc, not $check: $(head -c 200 "$tmp/err")"
			well
			return
		fi
	done
	if [ $rc = 1 ]; then result OK "$name"; else result FAIL "$name" "exit $rc"; fi
	well
}

rm -r "$root/sys/module/hpbuf" "$root/dev/hpbuf"
several "module not loaded" module device
rm -r "$root/sys/module/hpbuf" "$root/dev/hpbuf"
put sys/kernel/security/lockdown "none [integrity] confidentiality"
head -c 100 /dev/zero >"$root/lib/modules/$rel/updates/dkms/hpbuf.ko"
several "locked down, not signed" signing module

# Signed by a key that may not be enrolled; and it has been loaded, so that it was.
ko=$root/lib/modules/$rel/updates/dkms/hpbuf.ko
put sys/module/module/parameters/sig_enforce Y
printf '~Module signature appended~\n' >"$ko"
broken "signatures enforced, and it is loaded" "" "" "" ""
put sys/module/module/parameters/sig_enforce Y
printf '~Module signature appended~\n' >"$ko"
rm -r "$root/sys/module/hpbuf" "$root/dev/hpbuf"
doctor
if grep -q "the module is signed, and loads only if the key is enrolled" "$tmp/doc" &&
	grep -q "mokutil --import .*, reboot and enrol" "$tmp/doc"; then
	result OK "signed by a key that may not be enrolled"
else
	result FAIL "signed by a key that may not be enrolled" "exit $rc"
fi
well

rm -r "$root/sys/module/hpbuf" "$root/dev/hpbuf" "$root/lib/modules/$rel/updates" \
	"$root/lib/modules/$rel/build" "$root/var/lib/dkms"
several "nothing is there at all" headers module device

# What a process inherits, by the process itself.
off="import ctypes, os, sys
ctypes.CDLL(None).prctl(41, 1, 0, 0, 0)
os.execv(sys.argv[1], sys.argv[1:])"
doctor "$python" -c "$off"
if [ $rc = 1 ] && grep -q "failed: .*thp-process" "$tmp/err"; then
	result OK "huge pages switched off by a parent"
else
	result FAIL "huge pages switched off by a parent" "exit $rc: $(head -c 200 "$tmp/err")"
fi

# Someone who is not in the group.
if [ "$(id -u)" != 0 ] || ! command -v setpriv >/dev/null; then
	skipped "a user outside the group" "needs root and setpriv"
else
	chmod 711 "$tmp"
	chmod 755 "$root"
	cp "$hpctl" "$tmp/hpctl"
	put etc/group "hpbuf:x:64999:"
	chgrp 64999 "$root/dev/hpbuf"
	(
		hpctl=$tmp/hpctl
		for f in doc err; do
			: >"$tmp/$f"
			chmod 666 "$tmp/$f"
		done
		doctor setpriv --reuid 65534 --regid 65534 --clear-groups
		exit "$rc"
	)
	rc=$?
	if [ $rc = 1 ] && grep -q "failed: .*device, group" "$tmp/err"; then
		result OK "a user outside the group"
	else
		result FAIL "a user outside the group" "exit $rc: $(head -c 200 "$tmp/err")"
	fi
fi
finish
