#!/bin/bash
# dkms.sh - dkms builds and installs the module for a kernel of the cache, for that
# one and not for the running one, and removes it without a trace.
#
# HPBUF_DKMS_KERNELS: which, default 6.12; "make check" has built for all by then
set -u
# shellcheck source=_dkms.sh
. "$(dirname "$0")/_dkms.sh"

for ver in ${HPBUF_DKMS_KERNELS:-6.12}; do
	if [ ! -e "$(kernel_dir "$ver")/release" ]; then
		result SKIP "dkms installs for $ver" "this kernel is not in the cache"
		continue
	fi
	if "$top/selftests/vm/dkms.sh" "$ver" >"$tmp/log" 2>&1; then
		result OK "dkms installs for $ver"
	else
		result FAIL "dkms installs for $ver" "exit $?"
	fi
done
finish
