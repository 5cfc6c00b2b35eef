# SPDX-License-Identifier: GPL-2.0-only
#
# The top of hpbuf, for people; the kernel's build reads Kbuild instead.
# "make help" says what there is.

KVER	?= $(shell uname -r)
KDIR	?= /lib/modules/$(KVER)/build
PREFIX	?= /usr/local
DESTDIR	?=
KERNELS	?= 6.1 6.12 7.3
VERSION	:= $(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf)

dkms_src := $(DESTDIR)/usr/src/hpbuf-$(VERSION)

# make splits lists at spaces, and so does the kernel's build
ifneq ($(words $(CURDIR)),1)
$(error the path of this directory has a space in it, which kernel builds do not allow: $(CURDIR))
endif

.PHONY: all user module check demo lint selftests kselftest-install install \
	dkms-install dkms-remove clean distclean help

all: user $(if $(wildcard $(KDIR)/Makefile),module)

user:
	$(MAKE) -C user

module:
	@test -e $(KDIR)/Makefile || { \
		echo "no headers at '$(KDIR)': install linux-headers-$(KVER), or set KDIR" >&2; exit 1; }
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

check:
	@KERNELS="$(KERNELS)" selftests/vm/check.sh

demo:
	@selftests/vm/demo.sh

lint:
	@selftests/vm/lint.sh

selftests: user
	$(MAKE) -C selftests

kselftest-install: user
	$(MAKE) -C selftests install $(if $(INSTALL_PATH),INSTALL_PATH=$(abspath $(INSTALL_PATH)))

install: user
	$(MAKE) -C user install prefix=$(PREFIX) DESTDIR=$(DESTDIR)

# The sources for dkms; without DESTDIR also built for $(KVER) and installed.
dkms-install:
	install -d $(dkms_src)
	cp -R dkms.conf Kbuild module include $(dkms_src)/
	$(if $(DESTDIR),,dkms add hpbuf/$(VERSION))
	$(if $(DESTDIR),,dkms install hpbuf/$(VERSION) -k $(KVER))

dkms-remove:
	$(if $(DESTDIR),,-dkms remove hpbuf/$(VERSION) --all)
	rm -rf $(dkms_src)

clean:
	rm -rf build/user build/selftests build/check build/vm build/lint
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
	@echo 'make demo          hpctl compare on all backings in a guest (DEMO_KERNEL=),'
	@echo '                   then here on those that need no module'
	@echo 'make lint          checkpatch, sparse, shellcheck'
	@echo 'make selftests     builds the tests; kselftest-install [INSTALL_PATH=DIR]'
	@echo '                   makes DIR/run_kselftest.sh'
	@echo 'make install       hpctl, library, headers: PREFIX ($(PREFIX)), DESTDIR'
	@echo 'make dkms-install  module by dkms; dkms-remove'
	@echo 'make clean         distclean'
	@echo
	@echo 'Kernels and tools from Debian are kept in $${HPBUF_CACHE:-~/.cache/hpbuf}.'
	@echo 'One guest by hand: selftests/vm/run.sh -k 6.12 -- COMMAND'
