// SPDX-License-Identifier: GPL-2.0
/* Loading and unloading. */
#include <linux/init.h>
#include <linux/module.h>
#include <linux/hpbuf.h>

#include "buf.h"
#include "dev.h"
#include "hist.h"
#include "netlink.h"
#include "reclaim.h"
#include "stat.h"

static int __init hpbuf_init(void)
{
	int ret;

	buf_init();
	ret = stat_init();
	if (ret)
		return ret;
	ret = hist_init();
	if (ret)
		goto err_stat;
	reclaim_init();
	ret = netlink_init();
	if (ret)
		goto err_hist;
	ret = dev_init();
	if (ret)
		goto err_netlink;
	return 0;

err_netlink:
	netlink_exit();
err_hist:
	hist_exit();
err_stat:
	stat_exit();
	return ret;
}

/* Every buffer holds the module, so there is none left here. */
static void __exit hpbuf_exit(void)
{
	dev_exit();
	/* First, so that no stall is sent to a family that is gone. */
	reclaim_exit();
	netlink_exit();
	buf_exit();
	hist_exit();
	stat_exit();
}

module_init(hpbuf_init);
module_exit(hpbuf_exit);

MODULE_DESCRIPTION("Buffers of contiguous 2 MiB and 1 GiB pages");
MODULE_LICENSE("GPL");
MODULE_VERSION(HPBUF_MODULE_VERSION);
