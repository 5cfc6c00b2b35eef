// SPDX-License-Identifier: GPL-2.0
/*
 * How much memory may be held: in all, and by each user. Pages in the pool are in no
 * user's account.
 *
 * RLIMIT_MEMLOCK is counted for the user and not for the mm, since a buffer may
 * outlive the process that made it. What the caller has locked otherwise counts
 * too, so that the limit cannot be had twice.
 */
#include <linux/atomic.h>
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>

#include "limit.h"
#include "param.h"

struct limit_user {
	struct list_head node;
	kuid_t uid;
	u64 bytes;
};

/* Guards all below; held for a few list steps. */
static DEFINE_MUTEX(limit_lock);
static LIST_HEAD(limit_users);
static u64 limit_total;

/* In the pool: held, and nobody's. */
static atomic64_t limit_pool;

/* Of the total, what an allocation under way has not got yet. */
static atomic64_t limit_promised;

/* Granted, and not yet taken from the system. */
static atomic64_t limit_reserved;

/*
 * A user namespace has thousands of ids, and whoever makes it would have the limit anew
 * with each. So its maker pays for all of them. Root makes those of containers, and has
 * said by their ranges whose ids are whose: there each id pays for itself.
 */
kuid_t limit_payer(void)
{
	const struct user_namespace *ns;
	kuid_t payer = current_euid();

	for (ns = current_user_ns(); ns->parent; ns = ns->parent)
		if (!uid_eq(ns->owner, GLOBAL_ROOT_UID))
			payer = ns->owner;
	return payer;
}

static struct limit_user *limit_find(kuid_t uid)
{
	struct limit_user *u;

	list_for_each_entry(u, &limit_users, node)
		if (uid_eq(u->uid, uid))
			return u;
	return NULL;
}

/* @spare is used, and taken from the caller, when @uid has no entry yet. */
static struct limit_user *limit_find_or_add(kuid_t uid, struct limit_user **spare)
{
	struct limit_user *u = limit_find(uid);

	if (u)
		return u;
	u = *spare;
	*spare = NULL;
	u->uid = uid;
	list_add(&u->node, &limit_users);
	return u;
}

static void limit_drop_if_empty(struct limit_user *u)
{
	if (u->bytes)
		return;
	list_del(&u->node);
	kfree(u);
}

static bool limit_memlock_exceeded(const struct limit_user *u, u64 bytes)
{
	u64 limit = rlimit(RLIMIT_MEMLOCK);
	u64 locked;

	if (limit == RLIM_INFINITY)
		return false;
	locked = current->mm ? (u64)READ_ONCE(current->mm->locked_vm) << PAGE_SHIFT : 0;
	if (locked > limit || u->bytes > limit - locked)
		return true;
	return bytes > limit - locked - u->bytes;
}

static int limit_charge_locked(kuid_t payer, u64 bytes, struct limit_user **spare)
{
	u64 max = param_max_bytes();
	struct limit_user *u;

	if (limit_total > max || bytes > max - limit_total)
		return -ENOSPC;
	u = limit_find_or_add(payer, spare);
	/* The capability last: asking for it leaves a mark in the audit log. */
	if (limit_memlock_exceeded(u, bytes) && !capable(CAP_IPC_LOCK)) {
		limit_drop_if_empty(u);
		return -EDQUOT;
	}
	u->bytes += bytes;
	WRITE_ONCE(limit_total, limit_total + bytes);
	return 0;
}

int limit_charge(kuid_t payer, u64 bytes)
{
	/* Before the lock: freeing and listing do not wait for memory. */
	struct limit_user *spare = kzalloc(sizeof(*spare), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!spare)
		return -ENOMEM;
	mutex_lock(&limit_lock);
	ret = limit_charge_locked(payer, bytes, &spare);
	mutex_unlock(&limit_lock);
	kfree(spare);
	return ret;
}

void limit_uncharge(kuid_t payer, u64 bytes, u64 pooled)
{
	struct limit_user *u;

	mutex_lock(&limit_lock);
	u = limit_find(payer);
	if (!WARN_ON_ONCE(!u || u->bytes < bytes)) {
		u->bytes -= bytes;
		/* First more than there is, then as much: never less. */
		atomic64_add(pooled, &limit_pool);
		WRITE_ONCE(limit_total, limit_total - bytes);
		limit_drop_if_empty(u);
	}
	mutex_unlock(&limit_lock);
}

u64 limit_used(void)
{
	return READ_ONCE(limit_total) + atomic64_read(&limit_pool) -
	       atomic64_read(&limit_promised);
}

bool limit_over(void)
{
	/* Read one after another, so it may be less than nothing for a moment. */
	return (s64)limit_used() > (s64)min_t(u64, param_max_bytes(), S64_MAX);
}

void limit_promise(u64 bytes)
{
	atomic64_add(bytes, &limit_promised);
}

void limit_keep(u64 bytes)
{
	atomic64_sub(bytes, &limit_promised);
}

int limit_pool_charge(u64 bytes)
{
	atomic64_add(bytes, &limit_pool);
	if (!limit_over())
		return 0;
	limit_pool_uncharge(bytes);
	return -ENOSPC;
}

void limit_pool_add(u64 bytes)
{
	atomic64_add(bytes, &limit_pool);
}

void limit_pool_uncharge(u64 bytes)
{
	atomic64_sub(bytes, &limit_pool);
}

bool limit_above_floor(void)
{
	long pages = si_mem_available();
	u64 available = pages > 0 ? (u64)pages << PAGE_SHIFT : 0;
	u64 floor = param_floor_bytes();

	return available >= floor && available - floor >= (u64)atomic64_read(&limit_reserved);
}

bool limit_plenty(u64 bytes)
{
	long pages = si_mem_available();
	u64 available = pages > 0 ? (u64)pages << PAGE_SHIFT : 0;

	return available > bytes && available - bytes >= 2 * param_floor_bytes();
}

int limit_reserve(u64 bytes)
{
	atomic64_add(bytes, &limit_reserved);
	if (limit_above_floor())
		return 0;
	limit_unreserve(bytes);
	return -ENOMEM;
}

void limit_unreserve(u64 bytes)
{
	atomic64_sub(bytes, &limit_reserved);
}
