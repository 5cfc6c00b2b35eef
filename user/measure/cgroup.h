/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Limits that control groups, v1 or v2, set for this process. */
#ifndef HPCTL_CGROUP_H
#define HPCTL_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct cgroup_limit - the one that leaves the least room; bytes
 * @used: less what would be given up before the limit is met
 * @dir: the cgroup that has it, as seen from here
 */
struct cgroup_limit {
	uint64_t bytes, used;
	char dir[256];
};

/**
 * cgroup_hugetlb - pages of hugetlb pools
 * Both limits count: on promises (rsvd), which mmap() meets, and on pages in use.
 * Returns false when no limit is set or none can be read.
 */
bool cgroup_hugetlb(unsigned int page_shift, struct cgroup_limit *l);

/**
 * cgroup_memory - ordinary memory, THP among it; not hugetlb pages, nor the module's
 * Page cache of files counts as free, as it is given up first.
 */
bool cgroup_memory(struct cgroup_limit *l);

/** cgroup_room - what can be had before the limit is met */
static inline uint64_t cgroup_room(const struct cgroup_limit *l)
{
	return l->bytes > l->used ? l->bytes - l->used : 0;
}

#endif
