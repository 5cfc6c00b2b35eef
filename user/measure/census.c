// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/census.h"

#include <string.h>

#include "measure/proc.h"

bool census_walk(struct census *c, struct hpbuf_nl *nl, const void *addr, size_t len)
{
	struct hpbuf_nl_walk w;

	memset(c, 0, sizeof(*c));
	if (!nl || hpbuf_nl_walk(nl, addr, len, &w))
		return false;
	c->pte = w.pte_bytes;
	c->pmd = w.pmd_bytes;
	c->pud = w.pud_bytes;
	c->none = w.none_bytes;
	c->by = "page-table walk";
	return true;
}

bool census_smaps(struct census *c, const void *addr, size_t len)
{
	struct proc_smaps s;
	uint64_t huge, mapped;

	memset(c, 0, sizeof(*c));
	if (!proc_smaps(addr, len, &s) || s.loose || s.covered != len)
		return false;
	huge = s.anon_huge + s.shmem_huge + s.file_huge;
	mapped = s.rss + s.hugetlb;
	if (huge > s.rss || mapped > len)
		return false;
	c->pte = s.rss - huge;
	c->pmd = huge;
	/* hugetlb pages are mapped by one leaf each, and say their size. */
	if (s.page == 1 << 30)
		c->pud += s.hugetlb;
	else if (s.page == 2 << 20)
		c->pmd += s.hugetlb;
	else
		c->pte += s.hugetlb;
	c->none = len - mapped;
	c->by = "smaps";
	return true;
}

double census_share(const struct census *c, unsigned int shift)
{
	uint64_t all = c->pte + c->pmd + c->pud + c->none, ok;

	if (!c->by || !all)
		return 0;
	/* The 4 KiB baseline asks for exactly that; larger ones for at least that. */
	if (shift < 21)
		ok = c->pte;
	else
		ok = shift < 30 ? c->pmd + c->pud : c->pud;
	return (double)ok / (double)all;
}

json_t *census_json(const struct census *c)
{
	if (!c->by)
		return json_pack("{s:n, s:n, s:n, s:n}", "pte", "pmd", "pud", "none");
	return json_pack("{s:I, s:I, s:I, s:I}", "pte", (json_int_t)c->pte,
			 "pmd", (json_int_t)c->pmd, "pud", (json_int_t)c->pud,
			 "none", (json_int_t)c->none);
}
