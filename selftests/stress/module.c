// SPDX-License-Identifier: GPL-2.0-only
#include "module.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "stress.h"

bool module_can_load(void)
{
	const char *ko = getenv("HPBUF_KO");

	return ko && *ko && !access(ko, R_OK);
}

int module_load(const char *params)
{
	const char *ko = getenv("HPBUF_KO");
	int fd = open(ko ? ko : "", O_RDONLY | O_CLOEXEC), ret = 0;

	if (fd < 0)
		return -errno;
	if (syscall(SYS_finit_module, fd, params, 0))
		ret = -errno;
	close(fd);
	return ret;
}

int module_try_unload(void)
{
	return syscall(SYS_delete_module, "hpbuf", O_NONBLOCK) ? -errno : 0;
}

int module_unload(void)
{
	int try, ret = 0;

	for (try = 0; try < 200; try++) {
		ret = module_try_unload();
		if (ret != -EAGAIN && ret != -EBUSY)
			break;
		pause_ms(50);
	}
	return ret;
}

long module_refs(void)
{
	return number_read("/sys/module/hpbuf/refcnt", -1);
}
