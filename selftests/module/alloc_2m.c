// SPDX-License-Identifier: GPL-2.0-only
/*
 * Buffers of 2 MiB pages: sizes, leaves, faults, zero at hand-out, memory back.
 */
#include "alloc.h"

TEST_F(alloc, one_page)
{
	check_buffer(_metadata, self->dev, SZ_2M, HPBUF_SHIFT_2M, 1);
}

TEST_F(alloc, three_pages)
{
	check_buffer(_metadata, self->dev, 3 * SZ_2M, HPBUF_SHIFT_2M, 3);
}

TEST_F(alloc, rounds_up)
{
	check_buffer(_metadata, self->dev, 5UL << 20, HPBUF_SHIFT_2M, 3);
	check_buffer(_metadata, self->dev, 1, HPBUF_SHIFT_2M, 1);
	check_buffer(_metadata, self->dev, SZ_2M + 1, HPBUF_SHIFT_2M, 2);
	check_buffer(_metadata, self->dev, SZ_2M - 1, HPBUF_SHIFT_2M, 1);
}

/* 512 PMD leaves, one fault each. */
TEST_F(alloc, one_gib)
{
	check_buffer(_metadata, self->dev, SZ_1G, HPBUF_SHIFT_2M, 512);
}

TEST_F(alloc, memory_comes_back)
{
	check_returned(_metadata, self->dev, 64 * SZ_2M, HPBUF_SHIFT_2M);
}

/* What one user left must not be in the next one's pages. */
TEST_F(alloc, zero_after_a_dirty_user)
{
	check_zero_again(_metadata, self->dev, 16 * SZ_2M, HPBUF_SHIFT_2M, 8);
}

/* Mapping and unmapping takes no reference and drops none (C19). */
TEST_F(alloc, maps_again_and_again)
{
	check_remaps(_metadata, self->dev, 3 * SZ_2M, HPBUF_SHIFT_2M, 100);
}

HPBUF_TEST_MAIN
