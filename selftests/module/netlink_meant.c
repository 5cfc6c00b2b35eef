// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program with more rights that was handed somebody's netlink socket is not made to
 * ask for him: a request that its write() could be tells nothing of its memory or its
 * user's buffers. Who gives an address means it.
 */
#include "policy.h"

#include <linux/capability.h>

static int as_other_user(void)
{
	return hpt_become(HPT_OTHER);
}

static int without_capabilities(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[2] = { { 0 } };

	return syscall(SYS_capset, &head, none);
}

static int as_we_are(void)
{
	return 0;
}

/* A socket that was opened by who @become makes of a child of ours, or -1. */
static int opened_by(int (*become)(void))
{
	int fd, status;
	pid_t pid;

	/* It has our table of descriptors, and tells the number. */
	pid = syscall(SYS_clone, CLONE_FILES | SIGCHLD, NULL, NULL, NULL, NULL);
	if (!pid) {
		fd = become() ? -1 : socket(AF_NETLINK, SOCK_RAW, NETLINK_GENERIC);
		_exit(fd < 0 ? 255 : fd);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) ||
	    WEXITSTATUS(status) == 255)
		return -1;
	return WEXITSTATUS(status);
}

/* Send what begin() started; 0 when it is answered, else the error. */
static int ask(FIXTURE_DATA(policy) *self, int fd, bool addressed)
{
	const struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	const struct nlmsghdr *nlh = (void *)self->buf;
	struct timeval limit = { .tv_sec = 10 };
	ssize_t n;

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	n = sendto(fd, self->nlh, self->nlh->nlmsg_len, 0,
		   addressed ? (const struct sockaddr *)&kernel : NULL,
		   addressed ? sizeof(kernel) : 0);
	if (n < 0)
		return -errno;
	n = recv(fd, self->buf, sizeof(self->buf), 0);
	if (n < (ssize_t)sizeof(*nlh))
		return -EIO;
	if (nlh->nlmsg_type == NLMSG_ERROR || nlh->nlmsg_type == NLMSG_DONE)
		return *(int *)mnl_nlmsg_get_payload(nlh);
	return 0;
}

static int walk(FIXTURE_DATA(policy) *self, int fd, bool addressed)
{
	begin(self, self->family, HPBUF_CMD_WALK, 0);
	mnl_attr_put_u64(self->nlh, HPBUF_A_WALK_ADDR, 0x10000);
	mnl_attr_put_u64(self->nlh, HPBUF_A_WALK_LEN, 0x1000);
	return ask(self, fd, addressed);
}

static int one(FIXTURE_DATA(policy) *self, int fd, bool addressed, uint32_t id)
{
	begin(self, self->family, HPBUF_CMD_BUF_GET, 0);
	mnl_attr_put_u32(self->nlh, HPBUF_A_BUF_ID, id);
	return ask(self, fd, addressed);
}

static int all(FIXTURE_DATA(policy) *self, int fd, bool addressed)
{
	begin(self, self->family, HPBUF_CMD_BUF_GET, NLM_F_DUMP);
	return ask(self, fd, addressed);
}

struct case_of {
	const char *who;
	int (*become)(void);
	bool addressed;
	int want;
};

static const struct case_of cases[] = {
	{ "another user's", as_other_user, false, -EPERM },
	{ "one without capabilities", without_capabilities, false, -EPERM },
	{ "our own", as_we_are, false, 0 },
	{ "another user's, with an address", as_other_user, true, 0 },
};

TEST_F(policy, answered_for_who_opened_it)
{
	int dev = hpt_open(NULL), fd;
	struct hpbuf_alloc a;
	unsigned int i;

	ASSERT_LE(0, hpt_alloc(dev, SZ_2M, HPBUF_SHIFT_2M, &a));
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct case_of *c = &cases[i];

		fd = opened_by(c->become);
		ASSERT_LE(0, fd);
		EXPECT_EQ(c->want, walk(self, fd, c->addressed))
			TH_LOG("walk: %s", c->who);
		EXPECT_EQ(c->want, one(self, fd, c->addressed, a.id))
			TH_LOG("one buffer: %s", c->who);
		EXPECT_EQ(c->want, all(self, fd, c->addressed))
			TH_LOG("all buffers: %s", c->who);
		close(fd);
	}
	close(a.fd);
	close(dev);
}

HPBUF_TEST_MAIN
