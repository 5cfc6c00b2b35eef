// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/perf.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure/proc.h"

static int open_cycles(int exclude_kernel)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.disabled = 1,
		.exclude_hv = 1,
	};

	attr.exclude_kernel = exclude_kernel ? 1 : 0;
	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

void perf_why(char *buf, size_t size)
{
	char paranoid[32] = "unknown";
	int fd = open_cycles(0), err = errno;
	int user_only = 0;

	if (fd < 0 && (err == EACCES || err == EPERM)) {
		fd = open_cycles(1);
		user_only = fd >= 0;
	}
	if (fd >= 0) {
		close(fd);
		snprintf(buf, size, "available%s, but not collected by this version",
			 user_only ? " for user mode only" : "");
		return;
	}
	proc_text("/proc/sys/kernel/perf_event_paranoid", paranoid, sizeof(paranoid));
	if (err == EACCES || err == EPERM)
		snprintf(buf, size, "forbidden: %s (perf_event_paranoid is %s)",
			 strerror(err), paranoid);
	else if (err == ENOENT || err == EOPNOTSUPP || err == ENODEV)
		snprintf(buf, size, "absent: this CPU, or virtual machine, has no hardware counters (%s)",
			 strerror(err));
	else if (err == ENOSYS)
		snprintf(buf, size, "absent: the kernel was built without perf events");
	else
		snprintf(buf, size, "unknown: perf_event_open: %s", strerror(err));
}
