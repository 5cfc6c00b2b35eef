#!/bin/bash
# deb-guest.sh - what deb.sh runs as root in a guest whose root has the packages: use
# by a member of the group, in a container too, and removal while a buffer is in use.
#
# Guarantees: prints KTAP; exit status 1 when something failed.
# shellcheck disable=SC2016,SC2317 # text for inner shells; functions called by result
set -u

# A process in a chroot, as the guest's init makes one, may not make a user namespace:
# move this root to the top, in a mount namespace of our own.
if [ -z "${DEB_GUEST:-}" ]; then
	exec chroot /proc/1/root /bin/busybox unshare -m /bin/busybox sh -c '
		b=/bin/busybox
		cd /new && $b mount --move . / && exec chroot . /usr/bin/env DEB_GUEST=1 \
			bash /root/deb-guest.sh'
fi

number=0 failed=0
# result NAME COMMAND...: passes when the command does
result()
{
	local name=$1 word=ok

	shift
	number=$((number + 1))
	"$@" >/tmp/log 2>&1 </dev/null || word="not ok" failed=1
	echo "$word $number $name"
	sed 's/^/# /' /tmp/log | head -n 40
}

# fails NAME TEXT COMMAND...: passes when the command fails and says TEXT
fails()
{
	local name=$1 text=$2

	shift 2
	# shellcheck disable=SC2016 # for the inner shell
	result "$name" bash -c '
		text=$1
		shift
		"$@" 2>&1 | tee /tmp/said
		[ "${PIPESTATUS[0]}" != 0 ] && grep -q "$text" /tmp/said
	' bash "$text" "$@"
}

# as USER SHELL-TEXT: a session of its own, with PAM's limits
as()
{
	su - "$1" -c "$2"
}

echo "TAP version 13"
useradd -m -s /bin/bash -G hpbuf member
useradd -m -s /bin/bash stranger
# the root of a guest is one for its init
export SYSTEMD_IGNORE_CHROOT=1
/lib/systemd/systemd-udevd --daemon
udevadm trigger --action=add
udevadm settle

result "modprobe" modprobe hpbuf
udevadm settle
result "udev gives the node to the group" \
	test "$(stat -c '%U:%G %a' /dev/hpbuf)" = "root:hpbuf 660"
result "a member: hpctl doctor finds no fault" as member "hpctl doctor"
fails "a stranger: hpctl doctor names the group" "usermod -aG hpbuf stranger" \
	su - stranger -c "hpctl doctor"
fails "a stranger: hpctl alloc names the group" "in the group hpbuf" \
	su - stranger -c "hpctl alloc -s 2M -p 2M"
result "a member: hpctl alloc of 2 MiB and 1 GiB pages" as member \
	"hpctl alloc -s 16M -p 2M --name small && hpctl alloc -s 1G -p 1G --name big && hpctl list"
result "a member: hpctl show" as member "hpctl show small | grep -x 'LEAF  *PMD 100 %'"
result "a member: hpctl free" as member "hpctl free big"
result "a member: hpctl walk of a buffer" as member "hpctl walk --buffer 1 --samples 1000"
# What cannot be had is left out; the exit code is that of the figures, which under an
# emulator are not to be trusted.
result "a member: hpctl compare" as member '
	hpctl compare touch get -s 16M -r 2 --ops 20000 -o result.json; rc=$?
	echo "exit $rc"
	[ $rc = 0 ] || [ $rc = 7 ] && grep -q "\"backing\": \"hpbuf-2m\"" result.json'
echo "pool 2M all 8" >/etc/hpctl.conf
if hpctl pool restore 2>&1 | grep -q "has no pool"; then
	number=$((number + 1))
	echo "ok $number hpctl pool restore, as at boot # SKIP the module has no pool"
else
	result "hpctl pool restore, as at boot" bash -c \
		"$(sed -n 's/^ExecStart=//p' /lib/systemd/system/hpbuf-pool.service) &&
		hpctl pool && hpctl pool set -p 2M --count 0"
fi

# A container: a user namespace in which nobody is root outside, a mount namespace whose
# /dev has this node alone, as --device makes it.
result "in a user and mount namespace" as member '
	unshare --user --map-root-user --mount bash -ec "
		mkdir -p dev
		mount -t tmpfs tmpfs dev
		touch dev/hpbuf
		mount --bind /dev/hpbuf dev/hpbuf
		hpctl alloc --device dev/hpbuf -s 4M -p 2M --name inside
		# 7: an emulated machine is not to be trusted
		hpctl run get -b hpbuf-2m --device dev/hpbuf -s 4M -r 1 --ops 1000 || [ \$? = 7 ]
		hpctl free inside --device dev/hpbuf"'
fails "in another network namespace: doctor says what is missing" "host's network namespace" \
	su - member -c "unshare --user --map-root-user --net hpctl doctor"

# Removed while in use: the buffer stays whole and the module loaded.
result "the package is removed while a buffer is in use" bash -c \
	'dpkg --remove hpbuf-dkms 2>&1 | tee /tmp/removed; exit "${PIPESTATUS[0]}"'
result "and says so" grep "the module is in use and stays loaded" /tmp/removed
result "the module is still loaded" test -d /sys/module/hpbuf
result "its file is gone" bash -c '! modinfo hpbuf'
result "the buffer is whole" as member "hpctl show small | grep -x 'LEAF  *PMD 100 %'"
result "it can be freed" as member "hpctl free small"
result "and then the module unloaded" rmmod hpbuf
result "purged" dpkg --purge hpbuf-dkms hpctl libhpbuf-dev libhpbuf1
result "no group, no files" bash -c '
	! getent group hpbuf && ! ls /etc/modprobe.d/hpbuf.conf /etc/security/limits.d/hpbuf.conf \
		/lib/udev/rules.d/60-hpbuf.rules /usr/src/hpbuf-* /var/lib/dkms/hpbuf 2>/dev/null'
echo "1..$number"
exit $failed
