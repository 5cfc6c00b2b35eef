// SPDX-License-Identifier: GPL-2.0
/*
 * From a tracepoint within reclaim to a netlink message. There no memory can be
 * allocated and nothing waited for, so stalls go through a ring of fixed size.
 */
#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include <net/genetlink.h>

#include "netlink.h"
#include "stall.h"

#define RING	256

struct stall {
	u64 seq;
	u64 time_ns;
	u64 took_ns;
	u64 pages;
	enum hpbuf_stat_source source;
	int order;
	u32 tgid;
	u32 pid;
	char comm[TASK_COMM_LEN];
};

static void stall_work_fn(struct work_struct *work);

static DEFINE_RAW_SPINLOCK(stall_lock);	/* guards what follows */
static struct stall ring[RING];
static unsigned int ring_head, ring_tail;	/* head - tail are waiting */
static u64 stall_seq;
static u64 lost;
static DECLARE_WORK(stall_work, stall_work_fn);

void stall_report(enum hpbuf_stat_source source, u64 took_ns, int order, u64 pages)
{
	unsigned long flags;
	struct stall *s;

	raw_spin_lock_irqsave(&stall_lock, flags);
	/* One that finds no room has its number, so that it is missed. */
	stall_seq++;
	if (ring_head - ring_tail == RING) {
		lost++;
		goto out;
	}
	s = &ring[ring_head++ % RING];
	s->seq = stall_seq;
	s->time_ns = ktime_get_boottime_ns();
	s->took_ns = took_ns;
	s->pages = pages;
	s->source = source;
	s->order = order;
	s->tgid = current->tgid;
	s->pid = current->pid;
	strscpy(s->comm, current->comm, sizeof(s->comm));
out:
	raw_spin_unlock_irqrestore(&stall_lock, flags);
	schedule_work(&stall_work);
}

static int stall_put(struct sk_buff *skb, const struct stall *s)
{
	if (nla_put_u64_64bit(skb, HPBUF_A_STALL_SEQ, s->seq, 0) ||
	    nla_put_u64_64bit(skb, HPBUF_A_STALL_TIME_NS, s->time_ns, 0) ||
	    nla_put_u32(skb, HPBUF_A_STALL_SOURCE, s->source) ||
	    nla_put_u64_64bit(skb, HPBUF_A_STALL_TOOK_NS, s->took_ns, 0) ||
	    nla_put_u32(skb, HPBUF_A_STALL_PID, s->tgid) ||
	    nla_put_u32(skb, HPBUF_A_STALL_TID, s->pid) ||
	    nla_put_string(skb, HPBUF_A_STALL_COMM, s->comm))
		return -EMSGSIZE;
	if (s->order != STALL_NO_ORDER && nla_put_u32(skb, HPBUF_A_STALL_ORDER, s->order))
		return -EMSGSIZE;
	if (s->pages != STALL_NO_PAGES &&
	    nla_put_u64_64bit(skb, HPBUF_A_STALL_PAGES, s->pages, 0))
		return -EMSGSIZE;
	return 0;
}

static void stall_send(const struct stall *s)
{
	struct sk_buff *skb;
	void *head;

	if (!genl_has_listeners(&netlink_family, &init_net, NETLINK_GROUP_RECLAIM))
		return;
	skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!skb)
		return;
	head = genlmsg_put(skb, 0, 0, &netlink_family, 0, HPBUF_CMD_STALL_NTF);
	if (!head || stall_put(skb, s)) {
		nlmsg_free(skb);
		return;
	}
	genlmsg_end(skb, head);
	genlmsg_multicast(&netlink_family, skb, 0, NETLINK_GROUP_RECLAIM, GFP_KERNEL);
}

static bool stall_next(struct stall *s)
{
	bool any;

	raw_spin_lock_irq(&stall_lock);
	any = ring_head != ring_tail;
	if (any)
		*s = ring[ring_tail++ % RING];
	raw_spin_unlock_irq(&stall_lock);
	return any;
}

static void stall_work_fn(struct work_struct *work)
{
	struct stall s;

	while (stall_next(&s))
		stall_send(&s);
}

void stall_flush(void)
{
	flush_work(&stall_work);
}

u64 stall_lost(void)
{
	return READ_ONCE(lost);
}
