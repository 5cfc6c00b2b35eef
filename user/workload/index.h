/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table with an index, in a part of a packed array: rows in no order, and a
 * B-tree from their keys to where they are.
 *
 *	rows	ROW elements each: the key, then columns
 *	leaves	two elements a row, ascending by key: the key and the row's place
 *	levels	the first key of every FANOUT entries of the level below, up to a level
 *		that has no more than FANOUT
 *
 * The tree is full and is never changed, so that its nodes need no pointers: the
 * entries of node k are k * FANOUT and on.
 */
#ifndef HPCTL_INDEX_H
#define HPCTL_INDEX_H

#include <stdint.h>

#define INDEX_ROW	8
#define INDEX_FANOUT	16
#define INDEX_LEVELS	8

/**
 * struct index - where things are; elements are counted from @base
 * @base: packed array, at the first element that belongs to it
 * @rows: how many, 64 or more; 0: they are too few
 * @step: a key of each of so many consecutive numbers is there
 * @stride: from the row of a rank to that of the next, modulo @rows
 * @elements: all that are used
 * @levels: without the leaves; level 0 is the one above them
 * @at, @n: first element and entries of a level
 */
struct index {
	unsigned char *base;
	uint64_t rows, step, stride, elements;
	uint64_t leaves;
	unsigned int levels;
	uint64_t at[INDEX_LEVELS], n[INDEX_LEVELS];
};

/** index_plan - as many rows as @count elements hold */
void index_plan(struct index *ix, unsigned char *base, uint64_t count);

/** index_build - write all of it; stops early at a signal */
void index_build(const struct index *ix);

/** index_key - the key of @rank, 0..rows-1: ascending, and not evenly spaced */
uint64_t index_key(const struct index *ix, uint64_t rank);

/** index_column - what column @column, 1..ROW-1, of that row holds */
uint64_t index_column(uint64_t rank, unsigned int column);

#endif
