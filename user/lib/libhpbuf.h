/* SPDX-License-Identifier: MIT OR LGPL-2.1-or-later */
/*
 * libhpbuf: buffers of huge pages from /dev/hpbuf, and what the module reports
 * about them.
 *
 * Functions that can fail return 0 (or a descriptor) or a negative errno and
 * leave nothing behind when they fail. Nothing is kept in global variables. A
 * struct hpbuf may be used by several threads; a struct hpbuf_nl by one.
 */
#ifndef LIBHPBUF_H
#define LIBHPBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/hpbuf.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the device ---- */

/**
 * hpbuf_open_device - open the device node and shake hands
 * @path: node, NULL for HPBUF_DEVICE
 * @caps: filled, may be NULL
 *
 * Returns a descriptor. -ENOENT/-ENODEV: the module is not loaded; -EACCES: no
 * permission on the node; -EPROTO: the module speaks another HPBUF_UAPI_VERSION
 * (@caps is filled then).
 */
int hpbuf_open_device(const char *path, struct hpbuf_caps *caps);

/** hpbuf_alloc - HPBUF_IOC_ALLOC; errors as in linux/hpbuf.h */
int hpbuf_alloc(int dev, struct hpbuf_alloc *req);

/** hpbuf_open_id, hpbuf_open_name - a descriptor of an existing buffer */
int hpbuf_open_id(int dev, uint32_t id, bool read_only);
int hpbuf_open_name(int dev, const char *name, bool read_only);

/** hpbuf_free_id - HPBUF_IOC_FREE; @res may be NULL */
int hpbuf_free_id(int dev, uint32_t id, struct hpbuf_free *res);

/** hpbuf_info - HPBUF_IOC_INFO */
int hpbuf_info(int fd, struct hpbuf_info *info);

/** hpbuf_populate - HPBUF_IOC_POPULATE; @done may be NULL */
int hpbuf_populate(int fd, void *addr, size_t len, uint64_t *done);

/* ---- generic netlink ---- */

struct hpbuf_nl;

/** One buffer as "buf-get" tells it. Text is "" and a has_ flag false if absent. */
struct hpbuf_nl_buf {
	uint32_t id, page_shift, uid, mappings, opens;
	bool persist;
	char name[HPBUF_NAME_LEN];
	uint64_t size, asked, created_ns, age_ns;
	uint64_t alloc_ns, scan_ns, migrate_ns, zero_ns;
	uint64_t faults, fault_ns, fault_max_ns;
	uint64_t pooled;		/* pages that came from the pool */
	uint64_t unmapped_ns;		/* CLOCK_BOOTTIME of the last munmap */
	uint64_t poisoned;		/* pages in whose memory hardware failed */
	bool has_zero_ns, has_fault_ns, has_pooled, has_unmapped_ns, has_poisoned;
	unsigned int nr_nodes;
	struct { uint32_t node, pages; } nodes[64];
};

/**
 * struct hpbuf_nl_pool - pages of one size on one node, as "pool-get" tells it
 * @ready: pages that the next allocation takes as they are
 * @used: pages in buffers, whether of the pool or not
 * @allocated, @freed, @alloc_ns, @free_ns: pages taken from and given back to the
 *	system since the module was loaded, and the time in sum
 * @max_bytes, @used_bytes, @floor_bytes: limits, over all nodes and sizes
 * @dirty: pages of the pool that wait to be zeroed
 * @want: pages that the pool shall own: ready, dirty and lent together
 * @min: so many are not given back under memory pressure
 * @lent: pages of the pool that are in buffers
 * @filling: the last hpbuf_nl_pool_set() is still being worked at
 * @error: why it ended short, as a positive errno; only with has_error
 * @got: the most pages that it had; only with has_got: there was one
 * @taken, @shrunk: pages that allocations, and memory pressure, took from the pool
 *	since the module was loaded
 * @poisoned: pages kept out of use, as hardware failed in them; only with has_poisoned
 *
 * Of a module without a pool none of the has_ flags is set.
 */
struct hpbuf_nl_pool {
	uint32_t node, page_shift;
	uint64_t ready, used, allocated, freed, alloc_ns, free_ns;
	uint64_t max_bytes, used_bytes, floor_bytes;
	uint64_t dirty, want, min, lent, got, taken, shrunk;
	uint32_t error;
	bool filling;
	bool has_dirty, has_want, has_min, has_lent, has_got, has_taken, has_shrunk;
	uint64_t poisoned;
	bool has_error, has_poisoned;
};

/**
 * struct hpbuf_nl_pool_set - what the pool of a node shall have; zeroed before use
 * @want: pages, those in buffers among them
 * @min: not given back under memory pressure, at most @want; only with has_min
 * @partial: keep what can be had when it is less
 */
struct hpbuf_nl_pool_set {
	uint32_t node, page_shift;
	uint64_t want, min;
	bool has_min, partial;
};

/** Which leaf level maps how many bytes, as "walk" tells it. */
struct hpbuf_nl_walk {
	uint64_t pte_bytes, pmd_bytes, pud_bytes, none_bytes, table_bytes;
	uint32_t levels;
};

/** Leaf levels, from the smallest page: 4 KiB, 2 MiB, 1 GiB. */
enum { HPBUF_NL_PTE, HPBUF_NL_PMD, HPBUF_NL_PUD, HPBUF_NL_LEVELS };

/** Loads that one request times at most, and buckets of a histogram. */
#define HPBUF_NL_WALK_SAMPLES	65536
#define HPBUF_NL_WALK_BUCKETS	104

/**
 * struct hpbuf_nl_ticks - how long one kind of load took, in TSC ticks
 * @p0 ... @p100: 0, 10, 50, 90, 99 and 100 % of the samples were not longer. The
 *	time to read the TSC is in them, the same for each kind.
 * @nr_hist: buckets in @hist, 0 when none were asked for
 * @hist: samples by log-linear bucket, 4 steps an octave: bucket 0 to 3 hold 0 to
 *	3 ticks, bucket 4 * k + s with k > 0 begins at (4 + s) << (k - 1) ticks;
 *	the last one holds what is beyond it too
 */
struct hpbuf_nl_ticks {
	uint32_t p0, p10, p50, p90, p99, p100;
	uint32_t nr_hist;
	uint32_t hist[HPBUF_NL_WALK_BUCKETS];
};

/**
 * struct hpbuf_nl_level - the samples that leaves of one level map
 * @samples: 0: none, and the rest says nothing
 * @hit: the TLB had the translation
 * @warm: the TLB had not; the entries of the page tables were in the cache
 * @cold: the same with the entries flushed from all caches; only with has_cold
 *
 * The data is in the cache each time: what a walk costs is warm or cold less hit.
 */
struct hpbuf_nl_level {
	uint32_t samples;
	struct hpbuf_nl_ticks hit, warm, cold;
};

/**
 * struct hpbuf_nl_walk_req - what is to be timed; zeroed before use
 * @samples: loads of each kind, 1 to HPBUF_NL_WALK_SAMPLES, at random pages of the
 *	range. 64 bits wide so that what was typed is refused by its value.
 * @seed: chooses the places; the same seed chooses the same ones
 * @cold: cold loads too
 * @hist: histograms too
 */
struct hpbuf_nl_walk_req {
	uint64_t samples;
	uint64_t seed;
	bool cold, hist;
};

/**
 * struct hpbuf_nl_walk_time - the census, and what was timed
 * @samples: as asked: the sum over @level and @skipped
 * @skipped: samples that found no page, or one that cannot be read
 * @seed: as asked
 * @tsc_khz: ticks in a millisecond, never 0
 * @hypervisor: a virtual machine: a walk goes through the host's tables too, or
 *	none is done by hardware at all
 * @has_cold: cold loads were timed
 */
struct hpbuf_nl_walk_time {
	struct hpbuf_nl_walk census;
	struct hpbuf_nl_level level[HPBUF_NL_LEVELS];
	uint32_t samples, skipped, tsc_khz;
	uint64_t seed;
	bool hypervisor, has_cold;
};

/** An event; has_ flags say what is there. */
struct hpbuf_nl_event {
	uint64_t seq, time_ns, size;
	uint64_t took_ns;		/* not of a memory failure */
	uint64_t done;			/* bytes that are there by now, of @size */
	uint32_t kind, id, page_shift, cause, err;
	bool has_id, has_took, has_done;
};

/** Buckets of a histogram; which values each holds is told in the netlink spec. */
#define HPBUF_NL_BUCKETS	156

/**
 * One histogram as "stat-get" tells it; times in ns. Bucket i of @bucket counts operations
 * by what they took: 0 to 3 hold 0 to 3 ns, 4 * k + s (k > 0) begins at
 * (4 + s) * 2^(k - 1) ns, and the last has no end.
 */
struct hpbuf_nl_stat {
	uint32_t source, page_shift, node, cause;
	uint64_t count, begun, sum_ns, max_ns, pages, failed;
	bool has_page_shift, has_node, has_cause, has_begun, has_sum_ns, has_max_ns;
	bool has_pages, has_failed;
	unsigned int nr_buckets;	/* those behind are 0 */
	uint32_t bucket[HPBUF_NL_BUCKETS];
};

/**
 * Tracing of the kernel's reclaim. A has_ flag says what the module told, and, for
 * hpbuf_nl_trace_set(), what is to be changed.
 * @threshold_ns: what takes longer is told to those who subscribed; 0: nothing is
 * @pid: only this process; 0: all
 * @cgroup: inode number of a directory of the unified hierarchy; 0: all
 * @untracked: operations not timed, too many being under way at once
 * @lost: stalls not sent, too many coming at once
 */
struct hpbuf_nl_trace {
	bool enabled;
	uint32_t pid;
	uint64_t threshold_ns, cgroup, untracked, lost;
	bool has_enabled, has_pid, has_threshold_ns, has_cgroup, has_untracked, has_lost;
};

/** An operation of the kernel's reclaim that took longer than the threshold. */
struct hpbuf_nl_stall {
	uint64_t seq, time_ns, took_ns, pages;
	uint32_t source, pid, tid, order;
	char comm[64];
	bool has_order, has_pages;
};

enum hpbuf_nl_what {
	HPBUF_NL_EVENT = 1,
	HPBUF_NL_STALL,
};

/**
 * What hpbuf_nl_wait() gives.
 * @what: which member of the union is filled
 * @lost: of the same kind, how many between the one before and this one were lost
 */
struct hpbuf_nl_notice {
	enum hpbuf_nl_what what;
	uint64_t lost;
	union {
		struct hpbuf_nl_event event;
		struct hpbuf_nl_stall stall;
	};
};

/**
 * hpbuf_nl_open - a socket to the family
 * Returns 0, or -ENOENT when the family is not there (module not loaded).
 */
int hpbuf_nl_open(struct hpbuf_nl **nl);
void hpbuf_nl_close(struct hpbuf_nl *nl);

/** The kernel's own words (extack) about the last failed call, or "". */
const char *hpbuf_nl_strerror(const struct hpbuf_nl *nl);

/**
 * hpbuf_nl_bufs - call @fn for each buffer the caller may see
 * A dump that the kernel calls interrupted is done again before @fn sees any.
 * @fn returns 0, or a negative errno that ends it.
 */
int hpbuf_nl_bufs(struct hpbuf_nl *nl,
		  int (*fn)(const struct hpbuf_nl_buf *buf, void *arg), void *arg);

/** hpbuf_nl_buf_get - one buffer by @id, or by @name when @id is 0 */
int hpbuf_nl_buf_get(struct hpbuf_nl *nl, uint32_t id, const char *name,
		     struct hpbuf_nl_buf *buf);

int hpbuf_nl_pools(struct hpbuf_nl *nl,
		   int (*fn)(const struct hpbuf_nl_pool *pool, void *arg), void *arg);

/**
 * hpbuf_nl_pool_set - begin to fill or empty the pool of one node and page size
 *
 * Returns at once. hpbuf_nl_pools() tells "filling" while it is worked at, and what
 * came of it. Replaces one that is still worked at; when that one's pages cannot all
 * be had, the pool goes back to before the first.
 *
 * -EPERM: needs CAP_SYS_ADMIN; -ENOSPC: more than max_bytes, and not partial; -ENXIO:
 * no such node; -EINVAL: no such size, or @min above @want; -EOPNOTSUPP: the module
 * has no pool, or this machine no such pages.
 */
int hpbuf_nl_pool_set(struct hpbuf_nl *nl, const struct hpbuf_nl_pool_set *set);

/** hpbuf_nl_walk - leaf census of the caller's [addr, addr + len) */
int hpbuf_nl_walk(struct hpbuf_nl *nl, const void *addr, size_t len,
		  struct hpbuf_nl_walk *walk);

/**
 * hpbuf_nl_walk_time - census, and the time of page walks in [addr, addr + len)
 * @addr, @len: multiples of 4096; pages that nobody has touched are skipped
 * @time: some kilobytes; filled on success only
 *
 * One byte is loaded from each place; nothing is written or faulted in. Takes
 * microseconds a sample, and ends early when the process is killed.
 *
 * -ERANGE: too many samples; -EINVAL: no samples, or a range that is not one of
 * user space; -EOPNOTSUPP: walks cannot be timed on this machine; -EBADMSG: the
 * answer is malformed or does not add up; -ENOMEM.
 */
int hpbuf_nl_walk_time(struct hpbuf_nl *nl, const void *addr, size_t len,
		       const struct hpbuf_nl_walk_req *req,
		       struct hpbuf_nl_walk_time *time);

/** hpbuf_nl_subscribe - join the group "events" */
int hpbuf_nl_subscribe(struct hpbuf_nl *nl);

/**
 * hpbuf_nl_event - wait for the next event, at most @timeout_ms (-1: for ever)
 * -EAGAIN: none came; -ENOBUFS: some were lost (the next one's seq tells how
 * many), the socket goes on; -EINTR: a signal came; -ENODEV: the module was
 * unloaded, nothing will come any more.
 */
int hpbuf_nl_event(struct hpbuf_nl *nl, int timeout_ms, struct hpbuf_nl_event *ev);

/**
 * hpbuf_nl_subscribe_stalls - join the group "reclaim", on a socket of its own
 * -EPERM: needs CAP_SYS_ADMIN. Stalls come while tracing is on and has a threshold.
 */
int hpbuf_nl_subscribe_stalls(struct hpbuf_nl *nl);

/**
 * hpbuf_nl_wait - the next event or stall, at most @timeout_ms (-1: for ever)
 * @n: filled; of both kinds when both were subscribed to
 *
 * -EAGAIN: none came; -EINTR: a signal did; -ENODEV: the module was unloaded.
 * -ENOBUFS: some of the kind @n->what were lost, and the socket goes on: the next
 * notice of that kind says in @n->lost how many.
 */
int hpbuf_nl_wait(struct hpbuf_nl *nl, int timeout_ms, struct hpbuf_nl_notice *n);

/* ---- statistics and tracing ---- */

/**
 * hpbuf_nl_stats - call @fn for each histogram that is not empty
 * @fn returns 0, or a negative errno that ends it.
 */
int hpbuf_nl_stats(struct hpbuf_nl *nl,
		   int (*fn)(const struct hpbuf_nl_stat *stat, void *arg), void *arg);

/** hpbuf_nl_stat_reset - empty all; -EPERM: needs CAP_PERFMON or CAP_SYS_ADMIN */
int hpbuf_nl_stat_reset(struct hpbuf_nl *nl);

int hpbuf_nl_trace_get(struct hpbuf_nl *nl, struct hpbuf_nl_trace *trace);

/**
 * hpbuf_nl_trace_set - change what has a has_ flag; the rest stays
 * -EPERM: needs CAP_PERFMON or CAP_SYS_ADMIN
 */
int hpbuf_nl_trace_set(struct hpbuf_nl *nl, const struct hpbuf_nl_trace *trace);

/** Names as in the netlink spec: "direct-reclaim", "alloc", "no-memory"; "?" if new. */
const char *hpbuf_nl_source_name(uint32_t source);
const char *hpbuf_nl_kind_name(uint32_t kind);
const char *hpbuf_nl_cause_name(uint32_t cause);

#ifdef __cplusplus
}
#endif

#endif /* LIBHPBUF_H */
