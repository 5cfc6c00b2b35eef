// SPDX-License-Identifier: GPL-2.0-only
/*
 * No byte of a reply is left from something else: netlink attributes are filled up with
 * zeros, structures have no holes, and what follows a text in its field is zero.
 */
#include "policy.h"

#define NAME	"odd"

FIXTURE(replies) {
	int dev;
	struct hpbuf_alloc a;
};

FIXTURE_SETUP(replies)
{
	self->dev = hpt_open(NULL);
	ASSERT_LE(0, self->dev);
	self->a = (struct hpbuf_alloc){
		.bytes = SZ_2M, .page_shift = HPBUF_SHIFT_2M, .name = NAME,
	};
	ASSERT_LE(0, hpt_alloc_req(self->dev, &self->a));
}

FIXTURE_TEARDOWN(replies)
{
	close(self->a.fd);
	close(self->dev);
}

struct seen {
	unsigned int attrs, padding, dirty;
};

/* Attributes from @attr to @end; what lies between one's end and the next. */
static void look(const char *attr, const char *end, struct seen *s)
{
	const char *at, *next;

	for (; attr + sizeof(struct nlattr) <= end; attr = next) {
		const struct nlattr *a = (const void *)attr;
		const char *data = mnl_attr_get_payload(a);

		next = attr + MNL_ALIGN(a->nla_len);
		s->attrs++;
		if (a->nla_type & NLA_F_NESTED)
			look(data, attr + a->nla_len, s);
		for (at = attr + a->nla_len; at < next && at < end; at++) {
			s->padding++;
			s->dirty += !!*at;
		}
	}
}

/* All replies to what begin() started. */
static void look_at_replies(FIXTURE_DATA(policy) *p, struct seen *s)
{
	bool dump = p->nlh->nlmsg_flags & NLM_F_DUMP, done = false;
	int len;

	if (mnl_socket_sendto(p->nl, p->nlh, p->nlh->nlmsg_len) < 0)
		return;
	while (!done) {
		const struct nlmsghdr *nlh = (void *)p->buf;

		memset(p->buf, 0xaa, sizeof(p->buf));
		len = mnl_socket_recvfrom(p->nl, p->buf, sizeof(p->buf));
		if (len <= 0)
			return;
		for (; mnl_nlmsg_ok(nlh, len); nlh = mnl_nlmsg_next(nlh, &len)) {
			done = !dump || nlh->nlmsg_type == NLMSG_DONE ||
			       nlh->nlmsg_type == NLMSG_ERROR;
			if (nlh->nlmsg_type == p->family)
				look((const char *)mnl_nlmsg_get_payload_offset(nlh,
						sizeof(struct genlmsghdr)),
				     mnl_nlmsg_get_payload_tail(nlh), s);
		}
	}
}

TEST_F(policy, padding_of_netlink)
{
	static const uint8_t dumps[] = {
		HPBUF_CMD_BUF_GET, HPBUF_CMD_POOL_GET, HPBUF_CMD_STAT_GET,
	};
	struct seen s = { 0 };
	struct hpbuf_alloc a;
	unsigned int i, len;
	int dev = hpt_open(NULL);
	char name[HPBUF_NAME_LEN] = "";

	/* Names of all lengths, of which some leave room. */
	for (len = 1; len <= 4; len++) {
		name[len - 1] = 'n';
		memset(&a, 0, sizeof(a));
		a.bytes = SZ_2M;
		a.page_shift = HPBUF_SHIFT_2M;
		hpt_name(a.name, name);
		ASSERT_LE(0, hpt_alloc_req(dev, &a));
	}
	for (i = 0; i < ARRAY_SIZE(dumps); i++) {
		begin(self, self->family, dumps[i], NLM_F_DUMP);
		look_at_replies(self, &s);
	}
	begin(self, self->family, HPBUF_CMD_TRACE_GET, 0);
	look_at_replies(self, &s);
	begin(self, self->family, HPBUF_CMD_WALK, 0);
	mnl_attr_put_u64(self->nlh, HPBUF_A_WALK_ADDR, (uintptr_t)self & -SZ_4K);
	mnl_attr_put_u64(self->nlh, HPBUF_A_WALK_LEN, SZ_4K);
	mnl_attr_put_u32(self->nlh, HPBUF_A_WALK_SAMPLES, 100);
	mnl_attr_put(self->nlh, HPBUF_A_WALK_HIST, 0, NULL);
	look_at_replies(self, &s);
	EXPECT_LT(40, s.attrs);
	EXPECT_LT(0, s.padding);
	EXPECT_EQ(0, s.dirty);
}

/* Every byte belongs to a field. */
TEST_F(replies, structures_have_no_holes)
{
	EXPECT_EQ(sizeof(struct hpbuf_caps), 2 * 4 + 16 + 5 * 8);
	EXPECT_EQ(sizeof(struct hpbuf_alloc), 8 + 6 * 4 + 8 + 8 * HPBUF_NODE_WORDS + HPBUF_NAME_LEN);
	EXPECT_EQ(sizeof(struct hpbuf_open), 4 * 4 + HPBUF_NAME_LEN);
	EXPECT_EQ(sizeof(struct hpbuf_free), 4 * 4 + 8);
	EXPECT_EQ(sizeof(struct hpbuf_info), 4 * 4 + 2 * 8 + HPBUF_NAME_LEN + 15 * 8 +
		  4 * HPBUF_INFO_NODES);
	EXPECT_EQ(sizeof(struct hpbuf_populate), 2 * 8 + 2 * 4 + 8);
}

static size_t rest_of(const char *text, size_t size)
{
	size_t i, dirty = 0;

	for (i = strnlen(text, size); i < size; i++)
		dirty += !!text[i];
	return dirty;
}

TEST_F(replies, texts_end_in_zeros)
{
	struct hpbuf_caps caps;
	struct hpbuf_info info;

	ASSERT_EQ(0, hpt_caps(self->dev, &caps));
	EXPECT_STREQ(HPBUF_MODULE_VERSION, caps.module_version);
	EXPECT_EQ(0, rest_of(caps.module_version, sizeof(caps.module_version)));
	EXPECT_EQ(0, caps.reserved);
	ASSERT_EQ(0, hpt_info(self->a.fd, &info));
	EXPECT_STREQ(NAME, info.name);
	EXPECT_EQ(0, rest_of(info.name, sizeof(info.name)));
}

HPBUF_TEST_MAIN
