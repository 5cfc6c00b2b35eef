// SPDX-License-Identifier: GPL-2.0-or-later
#include "out/save.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* All of it on its way to the disk. */
static int write_all(FILE *f, int (*write)(FILE *f, const void *arg), const void *arg)
{
	int ret = write(f, arg);

	if (ret)
		return ret;
	if (fflush(f) || ferror(f))
		return errno ? -errno : -EIO;
	return fsync(fileno(f)) && errno != EINVAL ? -errno : 0;
}

static int save_temp(const char *path, char *temp, int (*write)(FILE *f, const void *arg),
		     const void *arg)
{
	mode_t mask = umask(0);
	FILE *f;
	int fd, ret;

	umask(mask);
	fd = mkostemp(temp, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	/* mkostemp() keeps it to ourselves; a result file is like any other. */
	fchmod(fd, 0666 & ~mask);
	f = fdopen(fd, "w");
	if (!f) {
		ret = -errno;
		close(fd);
		goto err_unlink;
	}
	ret = write_all(f, write, arg);
	if (fclose(f) && !ret)
		ret = -errno;
	if (!ret && rename(temp, path))
		ret = -errno;
	if (!ret)
		return 0;
err_unlink:
	unlink(temp);
	return ret;
}

int out_save(const char *path, int (*write)(FILE *f, const void *arg), const void *arg)
{
	struct stat st;
	char *temp;
	FILE *f;
	int ret;

	if (!stat(path, &st) && !S_ISREG(st.st_mode)) {
		f = fopen(path, "we");
		if (!f)
			return -errno;
		ret = write_all(f, write, arg);
		return fclose(f) && !ret ? -errno : ret;
	}
	if (asprintf(&temp, "%s.XXXXXX", path) < 0)
		return -ENOMEM;
	ret = save_temp(path, temp, write, arg);
	free(temp);
	return ret;
}
