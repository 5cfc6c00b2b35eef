// SPDX-License-Identifier: GPL-2.0
/* Module parameters: sizes, read and written as people write them, and pools. */
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/nodemask.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/hpbuf.h>

#include "compat/compat.h"
#include "param.h"
#include "pool.h"
#include "pool_fill.h"

/* 0: the default */
static u64 max_bytes;
static u64 floor_bytes;

/* Pages that the pool of each node shall have. */
static unsigned int pool_pages[2];

/* Guards those, and whether there are pools yet, or still. */
static DEFINE_MUTEX(pool_lock);
static bool pool_live;

u64 param_max_bytes(void)
{
	u64 set = READ_ONCE(max_bytes);

	return set ?: ((u64)totalram_pages() << PAGE_SHIFT) / 2;
}

u64 param_floor_bytes(void)
{
	u64 set = READ_ONCE(floor_bytes);

	return set ?: ((u64)totalram_pages() << PAGE_SHIFT) / 20;
}

/*
 * memparse() takes a sign, stops at the first odd character and lets overflow
 * pass. So look first, and multiply here.
 */
static int size_parse(const char *text, u64 *bytes)
{
	static const char units[] = "KMGT";
	unsigned int shift = 0;
	char digits[24];
	const char *unit;
	size_t n;
	u64 value;
	int ret;

	n = strspn(text, "0123456789");
	if (!n || n >= sizeof(digits))
		return -EINVAL;
	strscpy(digits, text, n + 1);
	text += n;
	ret = kstrtou64(digits, 10, &value);
	if (ret)
		return ret;
	if (*text && *text != '\n') {
		unit = strchr(units, toupper(*text++));
		if (!unit)
			return -EINVAL;
		shift = 10 * (unit - units + 1);
	}
	if (*text == '\n')
		text++;
	if (*text)
		return -EINVAL;
	if (value > (u64)LLONG_MAX >> shift)
		return -EOVERFLOW;
	*bytes = value << shift;
	return 0;
}

static int size_set(const char *text, const struct kernel_param *kp)
{
	u64 bytes;
	int ret;

	ret = size_parse(text, &bytes);
	if (ret)
		return ret;
	WRITE_ONCE(*(u64 *)kp->arg, bytes);
	/* Idle pages beyond the limit go. */
	mutex_lock(&pool_lock);
	if (pool_live)
		fill_look_again();
	mutex_unlock(&pool_lock);
	return 0;
}

static int max_bytes_get(char *page, const struct kernel_param *kp)
{
	return sysfs_emit(page, "%llu\n", param_max_bytes());
}

static int floor_bytes_get(char *page, const struct kernel_param *kp)
{
	return sysfs_emit(page, "%llu\n", param_floor_bytes());
}

static const struct kernel_param_ops max_bytes_ops = {
	.set = size_set,
	.get = max_bytes_get,
};

static const struct kernel_param_ops floor_bytes_ops = {
	.set = size_set,
	.get = floor_bytes_get,
};

/* ---- pools ---- */

static void pool_apply(unsigned int shift, unsigned int pages)
{
	struct pool *p;
	int nid;

	for_each_node(nid) {
		p = pool_of(shift, nid);
		if (p)
			fill_want(p, pages);
	}
}

static int pool_param_set(const char *text, const struct kernel_param *kp)
{
	unsigned int *arg = kp->arg;
	unsigned int shift = arg == &pool_pages[1] ? HPBUF_SHIFT_1G : HPBUF_SHIFT_2M;
	unsigned int pages;
	int ret;

	ret = kstrtouint(text, 10, &pages);
	if (ret)
		return ret;
	if (shift == HPBUF_SHIFT_1G && pages && !compat_map_1g())
		return -EOPNOTSUPP;
	mutex_lock(&pool_lock);
	*arg = pages;
	if (pool_live)
		pool_apply(shift, pages);
	mutex_unlock(&pool_lock);
	return 0;
}

void param_pools_begin(void)
{
	mutex_lock(&pool_lock);
	pool_live = true;
	if (pool_pages[0])
		pool_apply(HPBUF_SHIFT_2M, pool_pages[0]);
	if (pool_pages[1])
		pool_apply(HPBUF_SHIFT_1G, pool_pages[1]);
	mutex_unlock(&pool_lock);
}

void param_pools_end(void)
{
	mutex_lock(&pool_lock);
	pool_live = false;
	mutex_unlock(&pool_lock);
}

static const struct kernel_param_ops pool_param_ops = {
	.set = pool_param_set,
	.get = param_get_uint,
};

module_param_cb(pool_2m, &pool_param_ops, &pool_pages[0], 0644);
MODULE_PARM_DESC(pool_2m, "2 MiB pages kept ready on each node, as far as they can be had (default 0)");
module_param_cb(pool_1g, &pool_param_ops, &pool_pages[1], 0644);
MODULE_PARM_DESC(pool_1g, "1 GiB pages kept ready on each node, as far as they can be had (default 0)");

module_param_cb(max_bytes, &max_bytes_ops, &max_bytes, 0644);
MODULE_PARM_DESC(max_bytes, "most memory the module holds: bytes, or with K, M, G, T; 0: half of RAM (default)");
module_param_cb(floor_bytes, &floor_bytes_ops, &floor_bytes, 0644);
MODULE_PARM_DESC(floor_bytes, "available memory an allocation must leave; 0: 5 % of RAM (default)");
