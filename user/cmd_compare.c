// SPDX-License-Identifier: GPL-2.0-or-later
/* hpctl compare: the same workloads on every backing. */
#include "cmd.h"

int cmd_compare(struct hp_ctx *ctx, int argc, char **argv)
{
	struct hp_error e = { 0 };

	(void)argc;
	hp_fail(&e, HP_FAILED, 0, "not finished yet");
	return out_finish(&ctx->out, out_doc(argv[0]), &e);
}
