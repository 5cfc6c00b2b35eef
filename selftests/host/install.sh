#!/bin/bash
# install.sh - what "make install" and "make install-host" put below DESTDIR is whole: a
# program is built with it by pkg-config alone, in C and C++, shared and static; each
# command has its page; rule, limit and unit fit the header and each other.
set -u
# shellcheck source=_hpctl.sh
. "$(dirname "$0")/_hpctl.sh"

if ! command -v cc >/dev/null || ! command -v pkg-config >/dev/null || [ ! -e "$top/Makefile" ]; then
	echo "1..0 # SKIP needs a checkout, a C compiler and pkg-config"
	exit 4
fi
root=$tmp/root

# check NAME COMMAND...
check()
{
	local name=$1

	shift
	if "$@" >"$tmp/log" 2>&1; then
		result OK "$name"
	else
		result FAIL "$name" "$(tail -n 3 "$tmp/log" | tr '\n' '|')"
	fi
}

# what is built is not built again, perhaps with other flags
check "make install" make -C "$top/user" -o all install DESTDIR="$root" prefix=/usr
check "make install-host" make -C "$top" install-host DESTDIR="$root" PREFIX=/usr
check "hpctl runs" "$root/usr/bin/hpctl" version
check "the schema is beside it" cmp "$top/user/schema/hpctl-1.schema.json" \
	"$root/usr/share/hpctl/hpctl-1.schema.json"

cat >"$tmp/a.c" <<'C'
#include <libhpbuf.h>
#include <linux/hpbuf_netlink.h>

int main(void)
{
	struct hpbuf_caps caps;

	return hpbuf_open_device("/dev/null", &caps) >= 0 || HPBUF_FAMILY_VERSION < 1;
}
C
cp "$tmp/a.c" "$tmp/a.cc"
# config OPTION...: of this root alone, with the system's libmnl behind it
config()
{
	PKG_CONFIG_PATH=$root/usr/lib/pkgconfig pkg-config \
		--define-variable=prefix="$root/usr" --define-variable=libdir="$root/usr/lib" \
		--define-variable=includedir="$root/usr/include" "$@" hpbuf
}
version=$("$hpctl" --version)
check "hpbuf.pc has the version" test "$(config --modversion)" = "${version#hpctl }"
read -ra flags < <(config --cflags --libs)
check "a program in C" cc -Wall -Werror -o "$tmp/c" "$tmp/a.c" "${flags[@]}"
check "runs" env LD_LIBRARY_PATH="$root/usr/lib" "$tmp/c"
check "and takes the shared library by its soname" \
	bash -c "LD_LIBRARY_PATH='$root/usr/lib' ldd '$tmp/c' | grep 'libhpbuf.so.1 => $root'"
check "linked with the archive it runs alone" bash -c \
	"cc -o '$tmp/s' '$tmp/a.c' $(config --cflags) '$root/usr/lib/libhpbuf.a' -lmnl && '$tmp/s'"
if command -v c++ >/dev/null; then
	check "a program in C++" c++ -Wall -Werror -o "$tmp/cc" "$tmp/a.cc" "${flags[@]}"
else
	skipped "a program in C++" "needs a C++ compiler"
fi

if [ -e "$root/usr/share/man/man1/hpctl.1" ]; then
	for c in $("$hpctl" --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
		[ -s "$root/usr/share/man/man1/hpctl-$c.1" ] || echo "$c"
	done >"$tmp/missing"
	check "a page for each command" test ! -s "$tmp/missing"
else
	skipped "a page for each command" "needs scdoc"
fi

group=$(sed -n 's/^#define HPBUF_GROUP[^"]*"\(.*\)"/\1/p' "$top/include/uapi/linux/hpbuf.h")
check "the rule gives the node to the group of the header" \
	grep -q "KERNEL==\"hpbuf\".*GROUP=\"$group\", MODE=\"0660\"" "$root/etc/udev/rules.d/60-hpbuf.rules"
check "the limit is that group's" grep -qE "^@$group	-	memlock	" \
	"$root/etc/security/limits.d/hpbuf.conf"
unit=$root/etc/systemd/system/hpbuf-pool.service
check "the unit starts the hpctl that is installed" \
	test -x "$root$(sed -n 's/^ExecStart=\([^ ]*\) .*/\1/p' "$unit")"
read -ra words < <(sed -n 's/^ExecStart=[^ ]* //p' "$unit")
"$hpctl" "${words[@]}" --dry-run >/dev/null 2>&1
check "with words that it knows" test $? != 2
# what a user may put into the options is what the module has
read -ra words < <(sed -n 's/^#\?options hpbuf //p' "$root/etc/modprobe.d/hpbuf.conf")
for p in "${words[@]}"; do
	grep -rq "module_param.*(${p%%=*}," "$top/module" || echo "$p"
done >"$tmp/missing"
check "options that the module has" test ! -s "$tmp/missing"
finish
