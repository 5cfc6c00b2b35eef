// SPDX-License-Identifier: GPL-2.0
/* Loading and unloading. */
#include <linux/init.h>
#include <linux/module.h>
#include <linux/hpbuf.h>

#include "buf.h"
#include "contig.h"
#include "dev.h"
#include "failure.h"
#include "fs.h"
#include "hist.h"
#include "netlink.h"
#include "param.h"
#include "pool.h"
#include "pool_fill.h"
#include "pool_shrink.h"
#include "reclaim.h"
#include "stat.h"

static int __init init_memory(void)
{
	int ret;

	ret = stat_init();
	if (ret)
		return ret;
	ret = hist_init();
	if (ret)
		goto err_stat;
	ret = pool_init();
	if (ret)
		goto err_hist;
	ret = fill_init();
	if (ret)
		goto err_pool;
	ret = shrink_init();
	if (ret)
		goto err_fill;
	return 0;

err_fill:
	fill_exit();
err_pool:
	pool_exit();
err_hist:
	hist_exit();
err_stat:
	stat_exit();
	return ret;
}

/* The pools give their pages back here. */
static void exit_memory(void)
{
	shrink_exit();
	fill_exit();
	pool_exit();
	contig_exit();
	hist_exit();
	stat_exit();
}

static int __init hpbuf_init(void)
{
	int ret;

	buf_init();
	ret = init_memory();
	if (ret)
		return ret;
	reclaim_init();
	ret = failure_init();
	if (ret)
		goto err_memory;
	ret = netlink_init();
	if (ret)
		goto err_failure;
	ret = dev_init();
	if (ret)
		goto err_netlink;
	param_pools_begin();
	return 0;

err_netlink:
	/* Tracing may have been switched on by now. */
	reclaim_exit();
	netlink_exit();
err_failure:
	failure_exit();
err_memory:
	exit_memory();
	return ret;
}

/* Every buffer holds the module, so there is none left here. */
static void __exit hpbuf_exit(void)
{
	param_pools_end();
	dev_exit();
	/* First, so that no stall is sent to a family that is gone. */
	reclaim_exit();
	/* Tells the family, and may be the last to hold a buffer. */
	failure_exit();
	netlink_exit();
	buf_exit();
	fs_exit();
	exit_memory();
}

module_init(hpbuf_init);
module_exit(hpbuf_exit);

MODULE_DESCRIPTION("Buffers of contiguous 2 MiB and 1 GiB pages");
MODULE_LICENSE("GPL");
MODULE_VERSION(HPBUF_MODULE_VERSION);
