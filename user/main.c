// SPDX-License-Identifier: GPL-2.0-or-later
/* Apart, so that tests can link all the rest. */
#include <fcntl.h>
#include <unistd.h>

#include "cmd.h"

/*
 * Started with one of them closed (>&-), the next file opened would take its
 * place, and messages would go into it. On a read-only one writes fail.
 */
static void fill_std(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) < 0)
			_exit(1);
}

int main(int argc, char **argv)
{
	fill_std();
	return hpctl_main(argc, argv);
}
