/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A chain through pages: each 4 KiB page has one element that holds the index of
 * the next page's element, in shuffled order, and all of them make one cycle.
 */
#ifndef HPCTL_CHAIN_H
#define HPCTL_CHAIN_H

#include <stdint.h>

/**
 * struct chain
 * @base, @n: packed array and its elements
 * @page: first whole 4 KiB page that belongs to the chain, counted from @base
 * @pages: how many
 */
struct chain {
	unsigned char *base;
	uint64_t n;
	uint64_t page, pages;
};

/**
 * chain_element - index of the element in page @p (0..pages-1) of the chain
 *
 * In another line from page to page, so that the lines do not all fall into one
 * set of a cache. Eight bytes from it are within the page.
 */
uint64_t chain_element(const struct chain *c, uint64_t p);

/**
 * chain_build - write the chain; the same for the same @seed and @pages
 * Sattolo's shuffle, in the array itself: nothing else is allocated.
 */
void chain_build(const struct chain *c, uint64_t seed);

/** chain_sum - sum of all its elements' indices: what a whole cycle reads */
uint64_t chain_sum(const struct chain *c);

#endif
