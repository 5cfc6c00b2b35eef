// SPDX-License-Identifier: GPL-2.0-only
/* Messages to the netlink family: as include/netlink/hpbuf.yaml says, and not so. */
#include "run.h"

#include <fcntl.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/hpbuf_netlink.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MIB	(1ULL << 20)
#define MSG	512

/* Kinds of values. */
enum { U32, U64, TEXT, FLAG, ID, ADDR, LEN, NODE, SHIFT, SMALL };

struct attr {
	uint8_t type;
	uint8_t kind;
};

/* With so many attributes of those that it knows, the first ones, a request makes sense. */
static const struct command {
	uint8_t cmd;
	uint8_t needed;
	struct attr attrs[6];	/* type 0: no more */
} commands[] = {
	{ HPBUF_CMD_BUF_GET, 1, { { HPBUF_A_BUF_ID, ID }, { HPBUF_A_BUF_NAME, TEXT } } },
	{ HPBUF_CMD_WALK, 2, {
		{ HPBUF_A_WALK_ADDR, ADDR }, { HPBUF_A_WALK_LEN, LEN },
		{ HPBUF_A_WALK_SAMPLES, SMALL }, { HPBUF_A_WALK_COLD, FLAG },
		{ HPBUF_A_WALK_HIST, FLAG }, { HPBUF_A_WALK_SEED, U64 } } },
	{ HPBUF_CMD_POOL_SET, 3, {
		{ HPBUF_A_POOL_NODE, NODE }, { HPBUF_A_POOL_PAGE_SHIFT, SHIFT },
		{ HPBUF_A_POOL_WANT, U64 }, { HPBUF_A_POOL_MIN, U64 },
		{ HPBUF_A_POOL_PARTIAL, FLAG } } },
	{ HPBUF_CMD_TRACE_SET, 1, {
		{ HPBUF_A_TRACE_ENABLED, NODE }, { HPBUF_A_TRACE_THRESHOLD_NS, U64 },
		{ HPBUF_A_TRACE_PID, U32 }, { HPBUF_A_TRACE_CGROUP, U64 } } },
	{ HPBUF_CMD_POOL_GET }, { HPBUF_CMD_STAT_GET }, { HPBUF_CMD_STAT_RESET },
	{ HPBUF_CMD_TRACE_GET }, { HPBUF_CMD_EVENT_NTF }, { HPBUF_CMD_STALL_NTF },
};

static const uint64_t some_numbers[] = {
	1, 0, 2, 3, 4, 8, 16, UINT32_MAX, UINT64_MAX, INT64_MAX, 1ULL << 63, 1ULL << 32,
};
static const uint64_t some_small[] = { 64, 0, 1, 500, 65536, 65537, UINT32_MAX };
static const uint64_t some_nodes[] = { 0, 0, 0, 0, 1, 1023, 1024, UINT32_MAX };
static const uint64_t some_shifts[] = { 21, 21, 21, 21, 30, 0, 12, UINT32_MAX };
static const uint64_t some_offs[] = { 0, 0, 0, 0, 4096, 2 * MIB, 1, 1 << 30, -4096 };
static const uint64_t some_lens[] = {
	2 * MIB, 4096, 1 << 30, 0, UINT64_MAX, 1ULL << 47, (1ULL << 47) - 4096, 1, 1ULL << 63,
};

struct message {
	union {
		char bytes[MSG];
		struct nlmsghdr head;
	};
	unsigned int len;
};

static unsigned int value(struct fz_run *r, struct fz_cur *c, uint8_t kind, void *to)
{
	static const char texts[][16] = { "a", "b", "fuzz.1", "", "1", "fuzz-2_x" };
	uint64_t v = 0;
	const char *text;

	switch (kind) {
	case FLAG:
		return 0;
	case TEXT:
		text = texts[fz_one(c, 6)];
		memcpy(to, text, sizeof(texts[0]));
		return strlen(text) + 1;
	case ADDR:
		v = (uintptr_t)fz_map(r, c)->addr + FZ_PICK(c, some_offs);
		break;
	case LEN:
		v = fz_u8(c) < 0x80 ? fz_map(r, c)->len : FZ_PICK(c, some_lens);
		break;
	case U64:
	case U32:
		v = FZ_PICK(c, some_numbers);
		break;
	case ID:
		v = fz_buf(r, c)->id + FZ_PICK(c, some_nodes);
		break;
	case NODE:
		v = FZ_PICK(c, some_nodes);
		break;
	case SHIFT:
		v = FZ_PICK(c, some_shifts);
		break;
	case SMALL:
		v = FZ_PICK(c, some_small);
		break;
	}
	memcpy(to, &v, 8);
	return kind == ADDR || kind == LEN || kind == U64 ? 8 : 4;
}

/* @said: the length that is said, which need not be that of the payload. */
static void put(struct message *m, uint16_t type, const void *data, unsigned int len,
		unsigned int said)
{
	struct nlattr *a = (void *)(m->bytes + m->len);

	if (m->len + NLA_HDRLEN + NLA_ALIGN(len) > MSG)
		return;
	a->nla_type = type;
	a->nla_len = said;
	memset(a + 1, 0, NLA_ALIGN(len));
	memcpy(a + 1, data, len);
	m->len += NLA_HDRLEN + NLA_ALIGN(len);
}

static void start(struct message *m, const struct fz_run *r, struct fz_cur *c, uint8_t cmd)
{
	static const uint16_t flags[] = {
		NLM_F_ACK, 0, NLM_F_DUMP, NLM_F_DUMP | NLM_F_ACK, NLM_F_ROOT, NLM_F_MATCH,
		NLM_F_ECHO, NLM_F_ATOMIC | NLM_F_DUMP,
	};
	struct genlmsghdr g = { .cmd = cmd, .version = HPBUF_FAMILY_VERSION };

	memset(m, 0, sizeof(*m));
	m->head.nlmsg_type = r->setup->family;
	m->head.nlmsg_flags = NLM_F_REQUEST | flags[fz_one(c, 8)];
	m->head.nlmsg_seq = 1;
	memcpy(m->bytes + NLMSG_HDRLEN, &g, sizeof(g));
	m->len = NLMSG_HDRLEN + GENL_HDRLEN;
}

/* ---- answers ---- */

static uint64_t sum_of_walk(const char *at, int len, uint64_t *asked)
{
	const struct nlattr *a;
	uint64_t sum = 0, v;

	for (; len >= NLA_HDRLEN; at += NLA_ALIGN(a->nla_len), len -= NLA_ALIGN(a->nla_len)) {
		a = (const void *)at;
		if (a->nla_len < NLA_HDRLEN || a->nla_len > len)
			break;
		if (a->nla_len != NLA_HDRLEN + 8)
			continue;
		memcpy(&v, a + 1, 8);
		if (a->nla_type == HPBUF_A_WALK_LEN)
			*asked = v;
		else if (a->nla_type >= HPBUF_A_WALK_PTE_BYTES &&
			 a->nla_type <= HPBUF_A_WALK_NONE_BYTES)
			sum += v;
	}
	return sum;
}

static long judge(struct fz_run *r, const struct nlmsghdr *h)
{
	const struct genlmsghdr *g = NLMSG_DATA(h);
	uint64_t asked = 0, sum;

	if (h->nlmsg_type == NLMSG_ERROR)
		return ((const struct nlmsgerr *)NLMSG_DATA(h))->error;
	if (h->nlmsg_type != r->setup->family || h->nlmsg_len < NLMSG_LENGTH(GENL_HDRLEN) ||
	    g->cmd != HPBUF_CMD_WALK)
		return 0;
	sum = sum_of_walk((const char *)g + GENL_HDRLEN, h->nlmsg_len - NLMSG_LENGTH(GENL_HDRLEN),
			  &asked);
	if (sum != asked)
		fz_broken(r, "a walk of %llu bytes found %llu", (unsigned long long)asked,
			  (unsigned long long)sum);
	return 0;
}

/* A few datagrams; what is left waits in the socket, a dump half done. */
static long receive(struct fz_run *r, int sock, unsigned int times)
{
	union {
		char bytes[8192];
		struct nlmsghdr head;
	} room;
	struct nlmsghdr *h;
	long ret = 0, one;
	int len;

	while (times--) {
		len = recv(sock, room.bytes, sizeof(room), MSG_DONTWAIT);
		if (len < 0)
			break;
		for (h = &room.head; NLMSG_OK(h, (unsigned int)len); h = NLMSG_NEXT(h, len)) {
			one = judge(r, h);
			ret = one < 0 ? one : ret;
		}
	}
	return ret;
}

static long say(struct fz_run *r, struct fz_cur *c, const struct message *m)
{
	unsigned int which = fz_one(c, FZ_SOCKS), times = fz_one(c, 4);
	int *sock = &r->sock[which];

	if (*sock < 0)
		*sock = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	__atomic_fetch_or(&r->sh->dirty, FZ_DIRTY_POOL | FZ_DIRTY_TRACE, __ATOMIC_RELAXED);
	if (send(*sock, m->bytes, m->len, MSG_DONTWAIT) < 0)
		return -errno;
	/* None now and then, most of the time more than there are. */
	return receive(r, *sock, times == 3 ? 0 : 16 >> times);
}

/* ---- requests ---- */

static void put_attrs(struct fz_run *r, struct fz_cur *c, struct message *m,
		      const struct command *cmd)
{
	uint8_t which = fz_u8(c);
	char data[64];
	unsigned int i, len;

	/* Dumps take none. */
	if (m->head.nlmsg_flags & NLM_F_DUMP && which < 0xc0)
		return;
	for (i = 0; i < 6 && cmd->attrs[i].type; i++) {
		len = value(r, c, cmd->attrs[i].kind, data);
		if (!(which & (1 << i)) && (which >= 0xc0 || i >= cmd->needed))
			continue;
		put(m, cmd->attrs[i].type, data, len, NLA_HDRLEN + len);
	}
}

long fz_netlink(struct fz_run *r, struct fz_cur *c)
{
	const struct command *cmd = &commands[fz_one(c, sizeof(commands) / sizeof(commands[0]))];
	struct message m;

	start(&m, r, c, cmd->cmd);
	put_attrs(r, c, &m, cmd);
	m.head.nlmsg_len = m.len;
	return say(r, c, &m);
}

/* One attribute that is wrong in some way. */
static void put_bad(struct fz_run *r, struct fz_cur *c, struct message *m,
		    const struct command *cmd)
{
	static const int said[] = { 0, 0, 0, 1, -1, -4, 4, 100, 60000, -8 };
	const struct attr *a = &cmd->attrs[fz_one(c, 6)];
	uint16_t type = fz_u8(c) < 0xa0 ? a->type : fz_u16(c);
	char data[64] = { 0 };
	unsigned int len = value(r, c, a->kind, data), i;
	uint8_t how = fz_u8(c);

	if (how & 1)
		type |= NLA_F_NESTED;
	if (how & 2)
		type |= NLA_F_NET_BYTEORDER;
	if (how & 4) {	/* longer than it should be, filled with anything */
		for (i = len; i < sizeof(data); i++)
			data[i] = fz_u8(c);
		len = 1 + fz_one(c, sizeof(data) - 1);
	}
	if (how & 8)
		len /= 2;
	put(m, type, data, len, NLA_HDRLEN + len + said[fz_one(c, 10)]);
}

long fz_netlink_bad(struct fz_run *r, struct fz_cur *c)
{
	const struct command *cmd = &commands[fz_one(c, sizeof(commands) / sizeof(commands[0]))];
	static const int more[] = { 0, 0, 0, 0, 0, 0, -1, -4, 4, -20, 1000, 12 };
	struct message m;
	uint8_t head = fz_u8(c), also = fz_u8(c);

	start(&m, r, c, head & 0x80 ? fz_u8(c) : cmd->cmd);
	put_bad(r, c, &m, cmd);
	if (also & 1)
		put_attrs(r, c, &m, cmd);
	if (also & 2)
		put_bad(r, c, &m, cmd);
	if (also & 0x80)
		((struct genlmsghdr *)(m.bytes + NLMSG_HDRLEN))->version = also;
	m.head.nlmsg_len = m.len + more[fz_one(c, 12)];
	if (head & 0x40)
		m.head.nlmsg_flags = fz_u16(c);
	return say(r, c, &m);
}

long fz_netlink_socket(struct fz_run *r, struct fz_cur *c)
{
	static const int options[] = {
		NETLINK_ADD_MEMBERSHIP, NETLINK_DROP_MEMBERSHIP, NETLINK_GET_STRICT_CHK,
		NETLINK_EXT_ACK, NETLINK_CAP_ACK, NETLINK_NO_ENOBUFS, NETLINK_BROADCAST_ERROR,
		NETLINK_LISTEN_ALL_NSID,
	};
	int *sock = &r->sock[fz_one(c, FZ_SOCKS)], option = options[fz_one(c, 8)], size = 0, value;
	uint8_t how = fz_one(c, 8);

	if (how == 7) {
		close(*sock);
		*sock = -1;
		return 0;
	}
	if (*sock < 0)
		*sock = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	if (how == 6)	/* soon full */
		return fz_ret(setsockopt(*sock, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size)));
	if (how == 5)
		return receive(r, *sock, 16);
	value = fz_one(c, 3);
	if (option <= NETLINK_DROP_MEMBERSHIP)
		value = r->setup->groups[value & 1];
	return fz_ret(setsockopt(*sock, SOL_NETLINK, option, &value, sizeof(value)));
}

/* ---- numbers ---- */

static void take_groups(const struct nlattr *groups, struct fz_setup *setup)
{
	const struct nlattr *group, *a;
	unsigned int nr = 0;

	mnl_attr_for_each_nested(group, groups) {
		mnl_attr_for_each_nested(a, group) {
			if (mnl_attr_get_type(a) == CTRL_ATTR_MCAST_GRP_ID && nr < 2)
				setup->groups[nr++] = mnl_attr_get_u32(a);
		}
	}
}

static int take_family(const struct nlmsghdr *nlh, void *arg)
{
	struct fz_setup *setup = arg;
	const struct nlattr *a;

	mnl_attr_for_each(a, nlh, GENL_HDRLEN) {
		if (mnl_attr_get_type(a) == CTRL_ATTR_FAMILY_ID)
			setup->family = mnl_attr_get_u16(a);
		else if (mnl_attr_get_type(a) == CTRL_ATTR_MCAST_GROUPS)
			take_groups(a, setup);
	}
	return MNL_CB_OK;
}

bool fz_resolve(struct fz_setup *setup)
{
	struct mnl_socket *nl = mnl_socket_open2(NETLINK_GENERIC, SOCK_CLOEXEC);
	char room[8192];
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(room);
	struct genlmsghdr *g;
	ssize_t len;

	if (!nl)
		return false;
	nlh->nlmsg_type = GENL_ID_CTRL;
	nlh->nlmsg_flags = NLM_F_REQUEST;
	g = mnl_nlmsg_put_extra_header(nlh, sizeof(*g));
	g->cmd = CTRL_CMD_GETFAMILY;
	g->version = 1;
	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, HPBUF_FAMILY_NAME);
	if (mnl_socket_sendto(nl, nlh, nlh->nlmsg_len) > 0) {
		len = mnl_socket_recvfrom(nl, room, sizeof(room));
		if (len > 0)
			mnl_cb_run(room, len, 0, 0, take_family, setup);
	}
	mnl_socket_close(nl);
	return setup->family;
}
