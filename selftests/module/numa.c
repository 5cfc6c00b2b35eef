// SPDX-License-Identifier: GPL-2.0-only
/*
 * The node mask: pages come from the nodes asked for and from no other, which
 * is told page by page.
 */
#include "hpbuf_test.h"

FIXTURE(numa) {
	int dev, nodes;
};

static bool has_memory(int node)
{
	return node < FREEMEM_NODES && freemem_node(node) > 0;
}

FIXTURE_SETUP(numa)
{
	int n;

	self->dev = hpt_open(NULL);
	ASSERT_LE(0, self->dev);
	for (n = 0; n < FREEMEM_NODES; n++)
		self->nodes += has_memory(n);
}

FIXTURE_TEARDOWN(numa)
{
	close(self->dev);
}

static void on_node(struct __test_metadata *_metadata, int dev, int node,
		    unsigned int shift, unsigned int pages)
{
	struct hpbuf_alloc a = { .bytes = (uint64_t)pages << shift, .page_shift = shift };
	struct hpbuf_info info;
	int n, fd;

	a.nodes[node / 64] = 1ULL << (node % 64);
	fd = hpt_alloc_req(dev, &a);
	if (fd == -EBUSY || fd == -EOPNOTSUPP)
		SKIP(return, "needs a page of 2^%u on node %d, found: %s", shift, node,
		     strerror(-fd));
	ASSERT_LE(0, fd)
		TH_LOG("node %d: %s", node, strerror(-fd));
	ASSERT_EQ(0, hpt_info(fd, &info));
	for (n = 0; n < HPBUF_INFO_NODES; n++) {
		EXPECT_EQ(n == node ? pages : 0, info.node_pages[n]);
	}
	close(fd);
}

TEST_F(numa, each_node_2m)
{
	int n;

	for (n = 0; n < FREEMEM_NODES; n++)
		if (has_memory(n))
			on_node(_metadata, self->dev, n, HPBUF_SHIFT_2M, 4);
}

TEST_F(numa, each_node_1g)
{
	int n;

	for (n = 0; n < FREEMEM_NODES; n++)
		if (has_memory(n))
			on_node(_metadata, self->dev, n, HPBUF_SHIFT_1G, 1);
}

/* More than the node has is refused though another one has it (C02). */
TEST_F(numa, not_from_another_node)
{
	struct hpbuf_alloc a = { .page_shift = HPBUF_SHIFT_2M, .nodes = { 1 } };
	struct hpbuf_caps caps;
	struct freemem before;

	if (self->nodes < 2)
		SKIP(return, "needs 2 nodes with memory, found %d", self->nodes);
	ASSERT_EQ(0, hpt_caps(self->dev, &caps));
	freemem_read(&before);
	a.bytes = before.node[0] + SZ_2M;
	if (caps.max_bytes < a.bytes)
		SKIP(return, "needs max_bytes above %llu, found %llu",
		     (unsigned long long)a.bytes, (unsigned long long)caps.max_bytes);
	EXPECT_EQ(-ENOMEM, hpt_alloc_req(self->dev, &a));
	EXPECT_TRUE(freemem_is_back(&before));
}

TEST_F(numa, a_node_that_is_not_there)
{
	struct hpbuf_alloc a = { .bytes = SZ_2M, .page_shift = HPBUF_SHIFT_2M };
	int n;

	for (n = 0; n < FREEMEM_NODES && has_memory(n); n++)
		;
	if (n == FREEMEM_NODES)
		SKIP(return, "needs a node number below %d without memory", FREEMEM_NODES);
	a.nodes[0] = 1ULL << n | 1;
	EXPECT_EQ(-ENXIO, hpt_alloc_req(self->dev, &a));
}

HPBUF_TEST_MAIN
