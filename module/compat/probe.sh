#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# usage: probe.sh HEADER MODULE.SYMVERS CC FLAGS...
#
# Finds out what the kernel to build for has, by compiling small pieces against
# it, and writes HEADER with one #define for each piece that compiled. Every
# answer is printed. A compiler that cannot compile anything, or that compiles
# nonsense, is an error and not a row of "no".
set -u

out=$1 symvers=$2
shift 2
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT


try() { # NAME FLAGS...
	name=$1
	shift
	"$@" -DKBUILD_MODNAME='"probe"' -DKBUILD_BASENAME='"probe"' \
		-D__KBUILD_MODNAME=kmod_probe -Wno-unused -Wno-error \
		-Werror=implicit-function-declaration \
		-Werror=incompatible-pointer-types -Werror=int-conversion \
		-fsyntax-only "$dir/$name.c" > "$dir/$name.log" 2>&1 &&
		: > "$dir/$name.yes"
}

piece() { # NAME < CODE
	{
		echo '#include <linux/mm.h>'
		cat
	} > "$dir/$1.c"
	names="$names $1"
}

exported() { # SYMBOL: some probes are about what a module may link to
	grep -q "	$1	" "$symvers"
}

[ -r "$symvers" ] || {
	echo "hpbuf: probe: no $symvers: these headers are not complete" >&2
	exit 1
}

names=
piece SANE <<-'C'
	unsigned long f(struct vm_area_struct *v) { return v->vm_start; }
C
piece INSANE <<-'C'
	int f(void) { return hpbuf_there_is_no_such_function(1); }
C
piece VM_FLAGS_SET <<-'C'
	void f(struct vm_area_struct *v) { vm_flags_set(v, VM_DONTDUMP); }
C
# huge_fault's second argument. Asked by name: an enum and an unsigned int are
# the same type to the compiler.
piece PAGE_ENTRY_SIZE <<-'C'
	enum page_entry_size s = PE_SIZE_PUD;
C
piece GET_AREA_MM <<-'C'
	#include <linux/sched/mm.h>
	unsigned long f(struct mm_struct *m, struct file *p)
	{ return mm_get_unmapped_area(m, p, 0, 0, 0, 0); }
C
piece GET_AREA <<-'C'
	#include <linux/sched/mm.h>
	unsigned long f(struct file *p)
	{ return mm_get_unmapped_area(p, 0, 0, 0, 0); }
C
piece ACR_FLAGS <<-'C'
	#include <linux/gfp.h>
	acr_flags_t a = ACR_FLAGS_NONE;
C
piece CONTIG_FROZEN <<-'C'
	#include <linux/gfp.h>
	int f(void)
	{ return alloc_contig_frozen_range(0, 1, ACR_FLAGS_NONE, GFP_KERNEL); }
C
piece CONTIG_COMP <<-'C'
	#include <linux/gfp.h>
	struct folio *f(void) { return folio_alloc_gigantic(18, GFP_KERNEL, 0, NULL); }
C
piece PAGE_EXT_ITER <<-'C'
	#include <linux/page_ext.h>
	struct page_ext_iter i;
C
piece PFN_T <<-'C'
	#include <linux/pfn_t.h>
	pfn_t f(void) { return __pfn_to_pfn_t(0, PFN_DEV | PFN_MAP); }
C
piece PFN_SPECIAL <<-'C'
	#include <linux/huge_mm.h>
	int f(pmd_t p, pud_t u) { return pmd_special(p) + pud_special(u); }
C
piece INSERT_FOLIO <<-'C'
	#include <linux/huge_mm.h>
	vm_fault_t f(struct vm_fault *v, struct folio *o)
	{ return vmf_insert_folio_pmd(v, o, 1) | vmf_insert_folio_pud(v, o, 1); }
C
piece MM_FLAGS_TEST <<-'C'
	int f(struct mm_struct *m)
	{ return mm_flags_test(MMF_DISABLE_THP_COMPLETELY, m); }
C
piece LARGE_RMAPPABLE <<-'C'
	void f(struct folio *o) { folio_set_large_rmappable(o); }
C
piece SHRINKER_ALLOC <<-'C'
	#include <linux/shrinker.h>
	struct shrinker *f(void) { return shrinker_alloc(0, "probe"); }
C
piece TRACE_RECLAIM_MEMCG <<-'C'
	#include <trace/events/vmscan.h>
	void p(void *d, gfp_t g, int order, struct mem_cgroup *m);
	void f(void) { check_trace_callback_type_mm_vmscan_direct_reclaim_begin(p); }
C
piece TRACE_MIGRATE_REASON <<-'C'
	#include <linux/migrate_mode.h>
	#include <trace/events/migrate.h>
	void p(void *d, enum migrate_mode m, enum migrate_reason r);
	void f(void) { check_trace_callback_type_mm_migrate_pages_start(p); }
C
piece TRACE_MIGRATE_LARGE <<-'C'
	#include <linux/migrate_mode.h>
	struct compact_control;
	#include <trace/events/migrate.h>
	void f(void) { trace_mm_migrate_pages(0, 0, 0, 0, 0, 0, 0, 0); }
C
piece TRACE_MEMORY_FAILURE <<-'C'
	#include <trace/events/memory-failure.h>
C

for name in $names; do
	try "$name" "$@" &
done
wait

[ -e "$dir/SANE.yes" ] || {
	echo "hpbuf: probe: nothing can be compiled against this kernel:" >&2
	head -20 "$dir/SANE.log" >&2
	exit 1
}
[ ! -e "$dir/INSANE.yes" ] || {
	echo "hpbuf: probe: the compiler accepts an undeclared function" >&2
	exit 1
}
exported alloc_contig_frozen_range_noprof || rm -f "$dir/CONTIG_FROZEN.yes"
exported vmf_insert_folio_pud || rm -f "$dir/INSERT_FOLIO.yes"

{
	echo '/* Made by probe.sh for one kernel. */'
	for name in $names; do
		case $name in SANE | INSANE) continue ;; esac
		answer=no
		[ ! -e "$dir/$name.yes" ] || {
			answer=yes
			echo "#define HPBUF_HAVE_$name 1"
		}
		echo "  PROBE   $name: $answer" >&2
	done
} > "$out.tmp" && mv "$out.tmp" "$out"
