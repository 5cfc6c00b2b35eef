// SPDX-License-Identifier: GPL-2.0
/* Module parameters: sizes, read and written as people write them. */
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "param.h"

/* 0: the default */
static u64 max_bytes;
static u64 floor_bytes;

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

module_param_cb(max_bytes, &max_bytes_ops, &max_bytes, 0644);
MODULE_PARM_DESC(max_bytes, "most memory the module holds: bytes, or with K, M, G, T; 0: half of RAM (default)");
module_param_cb(floor_bytes, &floor_bytes_ops, &floor_bytes, 0644);
MODULE_PARM_DESC(floor_bytes, "available memory an allocation must leave; 0: 5 % of RAM (default)");
