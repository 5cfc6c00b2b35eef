// SPDX-License-Identifier: GPL-2.0-only
/*
 * Buffers of 1 GiB pages: sizes, leaves, faults, zero at hand-out, memory back.
 */
#include "alloc.h"

TEST_F(alloc, one_page)
{
	NEED_1G(self->dev);
	check_buffer(_metadata, self->dev, SZ_1G, HPBUF_SHIFT_1G, 1);
}

TEST_F(alloc, two_pages)
{
	NEED_1G(self->dev);
	NEED_ROOM(self->dev, 2 * SZ_1G);
	check_buffer(_metadata, self->dev, 2 * SZ_1G, HPBUF_SHIFT_1G, 2);
}

TEST_F(alloc, rounds_up)
{
	NEED_1G(self->dev);
	check_buffer(_metadata, self->dev, 1, HPBUF_SHIFT_1G, 1);
}

TEST_F(alloc, rounds_1025m_to_two_pages)
{
	NEED_1G(self->dev);
	NEED_ROOM(self->dev, 2 * SZ_1G);
	check_buffer(_metadata, self->dev, 1025UL << 20, HPBUF_SHIFT_1G, 2);
}

TEST_F(alloc, memory_comes_back)
{
	NEED_1G(self->dev);
	check_returned(_metadata, self->dev, SZ_1G, HPBUF_SHIFT_1G);
}

TEST_F(alloc, zero_after_a_dirty_user)
{
	NEED_1G(self->dev);
	check_zero_again(_metadata, self->dev, SZ_1G, HPBUF_SHIFT_1G, SZ_4K / 4);
}

TEST_F(alloc, maps_again_and_again)
{
	NEED_1G(self->dev);
	check_remaps(_metadata, self->dev, SZ_1G, HPBUF_SHIFT_1G, 100);
}

HPBUF_TEST_MAIN
