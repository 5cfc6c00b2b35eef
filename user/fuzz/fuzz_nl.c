// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a kernel answers: datagrams of any bytes for every request of libhpbuf.
 *
 * The first byte chooses the request. Then each datagram is two bytes of length, least
 * first, whose highest bit leaves headers as they are (else sequence number and port are
 * those asked for, or hardly any message would get past the first look), and its bytes.
 * The system calls below are ours by the linker's --wrap.
 */
#include "fuzz.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "nl.h"
#include "wrap.h"

#if defined(__SANITIZE_ADDRESS__)
#define POISON	1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define POISON	1
#endif
#endif

#ifdef POISON
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(addr, size)	((void)(addr), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(addr, size)	((void)(addr), (void)(size))
#endif

#define PORT	77
#define FAMILY	0x21
#define LEN	(1UL << 30)

/* What is left of the input, and the number of the request under way. */
static const uint8_t *rest;
static size_t left;
static uint32_t seq;

int __wrap_poll(struct pollfd *fds, nfds_t nr, int timeout)
{
	(void)timeout;
	if (left < 2)
		return 0;
	for (nfds_t i = 0; i < nr; i++)
		fds[i].revents = fds[i].fd < 0 ? 0 : POLLIN;
	return 1;
}

/* As a kernel that answers this request would fill them. */
static void address(char *buf, int len)
{
	struct nlmsghdr *nlh = (void *)buf;

	for (; hpnl_ok(nlh, len); nlh = mnl_nlmsg_next(nlh, &len)) {
		nlh->nlmsg_seq = seq;
		nlh->nlmsg_pid = PORT;
	}
}

ssize_t __wrap_recvmsg(int fd, struct msghdr *msg, int flags)
{
	size_t room = msg->msg_iov->iov_len, len;
	char *buf = msg->msg_iov->iov_base;
	bool as_is;

	(void)fd;
	(void)flags;
	if (left < 2) {
		errno = EAGAIN;
		return -1;
	}
	len = (size_t)rest[0] | (size_t)(rest[1] & 0x7f) << 8;
	as_is = rest[1] & 0x80;
	rest += 2;
	left -= 2;
	len = len < left ? len : left;
	MUST(len <= room);
	ASAN_UNPOISON_MEMORY_REGION(buf, room);
	memcpy(buf, rest, len);
	rest += len;
	left -= len;
	if (!as_is)
		address(buf, (int)len);
	ASAN_POISON_MEMORY_REGION(buf + len, room - len);
	msg->msg_flags = 0;
	return (ssize_t)len;
}

ssize_t __wrap_mnl_socket_sendto(const struct mnl_socket *nl, const void *buf, size_t len)
{
	const struct nlmsghdr *nlh = buf;

	(void)nl;
	MUST(len == nlh->nlmsg_len && len <= HPNL_REQ);
	seq = nlh->nlmsg_seq;
	return (ssize_t)len;
}

int __wrap_mnl_socket_get_fd(const struct mnl_socket *nl)
{
	(void)nl;
	return 3;
}

unsigned int __wrap_mnl_socket_get_portid(const struct mnl_socket *nl)
{
	(void)nl;
	return PORT;
}

/* ---- what a caller relies on ---- */

static int see_buf(const struct hpbuf_nl_buf *b, void *arg)
{
	(void)arg;
	MUST(strnlen(b->name, sizeof(b->name)) < sizeof(b->name));
	MUST(b->nr_nodes <= 64);
	return 0;
}

static int see_pool(const struct hpbuf_nl_pool *p, void *arg)
{
	(void)p;
	(void)arg;
	return 0;
}

static int see_stat(const struct hpbuf_nl_stat *s, void *arg)
{
	(void)arg;
	MUST(s->nr_buckets <= HPBUF_NL_BUCKETS);
	MUST(hpbuf_nl_source_name(s->source) && hpbuf_nl_cause_name(s->cause));
	return 0;
}

static void see_walk_time(struct hpbuf_nl *nl)
{
	struct hpbuf_nl_walk_req req = { .samples = 1000, .seed = 1, .cold = true, .hist = true };
	struct hpbuf_nl_walk_time t;
	uint64_t samples = 0;

	if (hpbuf_nl_walk_time(nl, (void *)4096, LEN, &req, &t))
		return;
	for (int i = 0; i < HPBUF_NL_LEVELS; i++) {
		samples += t.level[i].samples;
		MUST(t.level[i].hit.nr_hist <= HPBUF_NL_WALK_BUCKETS);
		MUST(t.level[i].warm.nr_hist <= HPBUF_NL_WALK_BUCKETS);
		MUST(t.level[i].cold.nr_hist <= HPBUF_NL_WALK_BUCKETS);
	}
	MUST(t.tsc_khz && samples + t.skipped == t.samples);
}

static void see_notices(struct hpbuf_nl *nl)
{
	struct hpbuf_nl_notice n;
	int ret;

	do {
		ret = hpnl_wait(nl, 1U << HPNL_EVENTS | 1U << HPNL_STALLS, 0, &n);
		if (!ret && n.what == HPBUF_NL_STALL)
			MUST(strnlen(n.stall.comm, sizeof(n.stall.comm)) < sizeof(n.stall.comm));
		else if (!ret)
			MUST(n.what == HPBUF_NL_EVENT && hpbuf_nl_kind_name(n.event.kind));
	} while (left > 1 || !ret);
}

static void request(struct hpbuf_nl *nl, unsigned int which)
{
	struct hpbuf_nl_pool_set set = { .page_shift = 21, .want = 4, .min = 1, .has_min = true };
	struct hpbuf_nl_walk walk;
	struct hpbuf_nl_trace trace = { .enabled = false };
	struct hpbuf_nl_buf buf;
	uint32_t group;
	uint16_t id;

	switch (which % 12) {
	case 0:
		hpbuf_nl_bufs(nl, see_buf, NULL);
		break;
	case 1:
		if (!hpbuf_nl_buf_get(nl, 1, NULL, &buf))
			MUST(buf.id && !see_buf(&buf, NULL));
		break;
	case 2:
		hpbuf_nl_pools(nl, see_pool, NULL);
		break;
	case 3:
		if (!hpbuf_nl_walk(nl, (void *)4096, LEN, &walk))
			MUST(walk.pte_bytes + walk.pmd_bytes + walk.pud_bytes + walk.none_bytes ==
			     LEN);
		break;
	case 4:
		see_walk_time(nl);
		break;
	case 5:
		hpbuf_nl_stats(nl, see_stat, NULL);
		break;
	case 6:
		hpbuf_nl_trace_get(nl, &trace);
		break;
	case 7:
		see_notices(nl);
		break;
	case 8:
		hpnl_resolve(nl, "hpbuf", "events", &id, &group);
		break;
	case 9:
		hpbuf_nl_pool_set(nl, &set);
		break;
	case 10:
		trace.has_enabled = trace.has_pid = true;
		trace.has_threshold_ns = trace.has_cgroup = true;
		hpbuf_nl_trace_set(nl, &trace);
		break;
	case 11:
		hpbuf_nl_stat_reset(nl);
		break;
	}
	MUST(strnlen(nl->err, sizeof(nl->err)) < sizeof(nl->err));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hpbuf_nl nl = { .family = FAMILY, .group = 5 };
	char *bufs[1 + HPNL_FEEDS];

	if (!size)
		return 0;
	for (int i = 0; i < 1 + HPNL_FEEDS; i++) {
		bufs[i] = malloc(HPNL_BUF);
		MUST(bufs[i]);
	}
	nl.sock = (void *)bufs;
	nl.buf = bufs[0];
	for (int i = 0; i < HPNL_FEEDS; i++) {
		nl.feed[i].sock = nl.sock;
		nl.feed[i].buf = bufs[1 + i];
	}
	rest = data + 1;
	left = size - 1;
	request(&nl, data[0]);
	for (int i = 0; i < 1 + HPNL_FEEDS; i++) {
		ASAN_UNPOISON_MEMORY_REGION(bufs[i], HPNL_BUF);
		free(bufs[i]);
	}
	return 0;
}
