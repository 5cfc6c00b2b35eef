// SPDX-License-Identifier: GPL-2.0-only
/*
 * Somebody who asks for a list and does not read it to its end holds the module for as
 * long as his socket is open, and no longer.
 */
#include "policy.h"

TEST_F(policy, holds_it_while_it_is_open)
{
	int ret, fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	const struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };

	ASSERT_LE(0, fd);
	begin(self, self->family, HPBUF_CMD_POOL_GET, NLM_F_DUMP);
	ASSERT_LT(0, sendto(fd, self->nlh, self->nlh->nlmsg_len, 0,
			    (const struct sockaddr *)&kernel, sizeof(kernel)));
	ret = syscall(SYS_delete_module, "hpbuf", O_NONBLOCK);
	EXPECT_EQ(-1, ret);
	EXPECT_EQ(EWOULDBLOCK, errno);
	close(fd);
	EXPECT_EQ(0, hpt_reload(""));
	self->family = find_family(self);
}

static void need_reload(void)
{
	if (getenv("HPBUF_KO"))
		return;
	ksft_print_header();
	ksft_exit_skip("needs HPBUF_KO to load the module again\n");
}

HPBUF_TEST_MAIN_WITH(need_reload())
