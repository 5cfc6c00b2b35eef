# SPDX-License-Identifier: GPL-2.0-only
#
# The top of hpbuf, for people; the kernel's build reads Kbuild instead.
# "make help" says what there is.

KVER	?= $(shell uname -r)
KDIR	?= /lib/modules/$(KVER)/build
PREFIX	?= /usr/local
DESTDIR	?=
KERNELS	?= 6.1 6.12 7.3
DEBUG_KERNELS ?= 6.12-debug 7.3-debug
# "make stress" takes one kernel, or those that are asked for
STRESS_KERNELS := $(if $(filter-out default undefined file,$(origin KERNELS)),$(KERNELS),6.12)
# the one source of it
VERSION	:= $(shell sed -n 's/^\#define HPBUF_MODULE_VERSION[^"]*"\(.*\)"/\1/p' \
		include/uapi/linux/hpbuf.h)

# The key that the machine's firmware knows (MOK); these are dkms's own.
MOK_KEY	?= /var/lib/dkms/mok.key
MOK_CERT ?= /var/lib/dkms/mok.pub
KO	?= hpbuf.ko

dkms_src := $(DESTDIR)/usr/src/hpbuf-$(VERSION)

# make splits lists at spaces, and so does the kernel's build
ifneq ($(words $(CURDIR)),1)
$(error the path of this directory has a space in it, which kernel builds do not allow: $(CURDIR))
endif

.PHONY: all user module check check-debug stress demo bench fuzz fuzz-module lint selftests kselftest-install install install-host deb check-deb \
	dkms-source dkms-install dkms-remove sign clean distclean help

all: user $(if $(wildcard $(KDIR)/Makefile),module)

user:
	$(MAKE) -C user

module:
	@test -e $(KDIR)/Makefile || { \
		echo "no headers at '$(KDIR)': install linux-headers-$(KVER), or set KDIR" >&2; exit 1; }
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

check:
	@KERNELS="$(KERNELS)" selftests/vm/check.sh

# Kernels with all detectors on; building them takes a quarter to half an hour each.
check-debug:
	@KERNELS="$(DEBUG_KERNELS)" HPBUF_HOST=0 HPBUF_TIMEOUT_SCALE=$${HPBUF_TIMEOUT_SCALE:-4} \
		HPBUF_BOOT_LIMIT=$${HPBUF_BOOT_LIMIT:-300} HPBUF_GUEST_LIMIT=$${HPBUF_GUEST_LIMIT:-3000} \
		selftests/vm/check.sh

# Everything at once in a guest for MINUTES (5), KERNELS one after another.
stress:
	@MINUTES="$(MINUTES)" KERNELS="$(STRESS_KERNELS)" selftests/vm/stress.sh $(STRESS_OPTIONS)

demo:
	@selftests/vm/demo.sh

bench: user
	@selftests/bench/run.sh

# Needs clang; each target for FUZZ_SECONDS (20).
fuzz:
	$(MAKE) -C user/fuzz

# In a guest, for FUZZ_SECONDS (300); best on a kernel with KCOV.
fuzz-module:
	@selftests/vm/fuzz-module.sh

lint:
	@selftests/vm/lint.sh

selftests: user
	$(MAKE) -C selftests
	$(MAKE) -C selftests/bench

kselftest-install: user
	$(MAKE) -C selftests install $(if $(INSTALL_PATH),INSTALL_PATH=$(abspath $(INSTALL_PATH)))

install: user
	$(MAKE) -C user install prefix=$(PREFIX) DESTDIR=$(DESTDIR)

# The sources for dkms, without what a build beside them has left.
dkms-source:
	rm -rf $(dkms_src)
	install -d $(dkms_src)
	tar -c --exclude='*.o' --exclude='*.ko' --exclude='*.mod' --exclude='*.mod.c' \
		--exclude='*.cmd' --exclude=probed.h Kbuild module include | tar -x -C $(dkms_src)
	sed 's/#MODULE_VERSION#/$(VERSION)/' dkms.conf >$(dkms_src)/dkms.conf

# Without DESTDIR also built for $(KVER), which need not be running, and installed.
dkms-install: dkms-source
ifeq ($(DESTDIR),)
	! dkms status hpbuf/$(VERSION) | grep -q . || dkms remove hpbuf/$(VERSION) --all
	dkms add hpbuf/$(VERSION)
	dkms install hpbuf/$(VERSION) -k $(KVER)
endif

dkms-remove:
ifeq ($(DESTDIR),)
	-dkms remove hpbuf/$(VERSION) --all
endif
	rm -rf $(dkms_src)

# Where modules must be signed. (dkms signs what it builds by itself.)
sign:
	@test -e '$(KO)' || { echo "no $(KO): make module, or set KO" >&2; exit 1; }
	@test -r '$(MOK_KEY)' -a -r '$(MOK_CERT)' || { \
		echo "no key at $(MOK_KEY) with $(MOK_CERT): set MOK_KEY and MOK_CERT, or make one:" >&2; \
		echo "  openssl req -new -x509 -nodes -days 36500 -subj '/CN=hpbuf/' -newkey rsa:2048 \\" >&2; \
		echo "    -keyout $(MOK_KEY) -outform DER -out $(MOK_CERT)" >&2; exit 1; }
	@test -x $(KDIR)/scripts/sign-file || { \
		echo "no scripts/sign-file in '$(KDIR)': set KDIR" >&2; exit 1; }
	$(KDIR)/scripts/sign-file \
		$$(sed -n 's/^CONFIG_MODULE_SIG_HASH="\(.*\)"/\1/p' $(KDIR)/.config | grep . || \
			echo sha512) '$(MOK_KEY)' '$(MOK_CERT)' '$(KO)'
	@echo "signed; once: mokutil --import $(MOK_CERT), then reboot and enrol it"

install-host:
	$(MAKE) -C user install-host prefix=$(PREFIX) DESTDIR=$(DESTDIR)

# The packages, in build/deb, from a copy of the tree; lintian has a look at them.
deb:
	@selftests/vm/deps.sh deb
	rm -rf build/deb
	mkdir -p build/deb/hpbuf
	tar -c --exclude=./build --exclude=./.git . | tar -x -C build/deb/hpbuf
	cd build/deb/hpbuf && dpkg-buildpackage -us -uc -b
	lintian --fail-on error,warning build/deb/*.changes
	@ls build/deb/*.deb

check-deb: deb
	@selftests/vm/deb.sh

clean:
	rm -rf build/deb build/user build/selftests build/check build/vm build/lint build/fuzz build/fuzz-module build/stress
	rm -rf $(addprefix build/,$(KERNELS))
	$(if $(wildcard $(KDIR)/Makefile),$(MAKE) -C $(KDIR) M=$(CURDIR) clean)

distclean: clean
	rm -rf build

help:
	@echo 'make               hpctl and libhpbuf; the module too if the headers of'
	@echo '                   KVER ($(KVER)) are there'
	@echo 'make user          build/user/hpctl, libhpbuf.a, libhpbuf.so.1'
	@echo 'make module        hpbuf.ko for KDIR ($(KDIR))'
	@echo 'make check         everything: builds for "$(KERNELS)" (KERNELS=), tests'
	@echo '                   here and in emulated guests; logs in build/check'
	@echo 'make check-debug   the tests of the module on kernels with KASAN, lockdep and'
	@echo '                   the like, which are built first (DEBUG_KERNELS=)'
	@echo 'make stress        everything at once for MINUTES (5), in a guest with two nodes;'
	@echo '                   KERNELS="6.12", *-debug too; logs in build/stress'
	@echo 'make demo          hpctl compare on all backings in a guest (DEMO_KERNEL=),'
	@echo '                   then here on those that need no module'
	@echo 'make bench         ratios: workloads against plain C, prefetching, memset;'
	@echo '                   hpbuf against hugetlbfs, and reclaim with tracing off and on,'
	@echo '                   in instructions, in a guest'
	@echo 'make fuzz          fuzzers of the parsers, FUZZ_SECONDS (20) each; needs clang'
	@echo 'make fuzz-module   a fuzzer of the module in a guest: KERNEL (6.12-debug),'
	@echo '                   FUZZ_SECONDS (300); results in build/fuzz-module'
	@echo 'make lint          checkpatch, gcc and clang with W=1, sparse, coccinelle, cppcheck,'
	@echo '                   clang-tidy, shellcheck'
	@echo 'make selftests     builds the tests; kselftest-install [INSTALL_PATH=DIR]'
	@echo '                   makes DIR/run_kselftest.sh'
	@echo 'make install       hpctl, library, headers: PREFIX ($(PREFIX)), DESTDIR'
	@echo 'make install-host  udev rule for the group hpbuf, module options, memlock limit'
	@echo 'make deb           Debian packages, in build/deb; check-deb tries them'
	@echo 'make dkms-install  module by dkms, for KVER; dkms-remove'
	@echo 'make sign          signs hpbuf.ko with MOK_KEY ($(MOK_KEY))'
	@echo 'make clean         distclean'
	@echo
	@echo 'Kernels and tools from Debian are kept in $${HPBUF_CACHE:-~/.cache/hpbuf}.'
	@echo 'One guest by hand: selftests/vm/run.sh -k 6.12 -- COMMAND'
