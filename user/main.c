// SPDX-License-Identifier: GPL-2.0-or-later
/* Apart, so that tests can link all the rest. */
#include "cmd.h"

int main(int argc, char **argv)
{
	return hpctl_main(argc, argv);
}
