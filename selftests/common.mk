# SPDX-License-Identifier: GPL-2.0-only
#
# What the test directories have in common, around the kernel's own lib.mk,
# which is fetched into the cache and never kept here.
#
# Every .c file is a test program (unless TEST_GEN_PROGS names them), every .sh file whose name does not begin with
# "_" is a test; whatever else lies there (but headers) is installed beside them.
# Nothing is built among the sources: see OUTPUT.

ifeq ($(OUTPUT),)
OUTPUT := $(abspath ../../build/selftests/$(notdir $(CURDIR)))
endif
$(shell mkdir -p $(OUTPUT))

LINUX_SRC ?= $(shell ../vm/fetch-kselftest.sh -p)
KSFT_DIR  ?= $(LINUX_SRC)/tools/testing/selftests

user_libs := $(wildcard ../../build/user/libhpctl.a ../../build/user/libhpbuf.a)

TEST_GEN_PROGS ?= $(patsubst %.c,%,$(sort $(wildcard *.c)))
TEST_PROGS := $(filter-out _%,$(sort $(wildcard *.sh)))
TEST_FILES += $(filter-out Makefile settings config %.c %.h $(TEST_PROGS), \
		$(sort $(wildcard *)))

# A changed header or library means a new build.
LOCAL_HDRS += $(wildcard *.h ../../include/uapi/linux/*.h ../../user/*.h \
		../../user/lib/*.h) $(user_libs)

CFLAGS += -O2 -g -std=gnu11 -Wall -Wextra -Werror -pthread \
	  -I. -I../../include/uapi -I../../user -I../../user/lib \
	  -isystem $(KSFT_DIR)
# the harness's own macros
CFLAGS += -Wno-unused-parameter -Wno-sign-compare -Wno-missing-field-initializers

LDLIBS += $(user_libs) -Wl,--as-needed -lmnl -ljansson -lsmartcols -lnuma -lm -lpthread

building_out_of_srctree := 1
include $(KSFT_DIR)/lib.mk
