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
	bool has_zero_ns, has_fault_ns;
	unsigned int nr_nodes;
	struct { uint32_t node, pages; } nodes[64];
};

/** Pages of one size on one node, and limits, as "pool-get" tells it. */
struct hpbuf_nl_pool {
	uint32_t node, page_shift;
	uint64_t ready, used, allocated, freed, alloc_ns, free_ns;
	uint64_t max_bytes, used_bytes, floor_bytes;
};

/** Which leaf level maps how many bytes, as "walk" tells it. */
struct hpbuf_nl_walk {
	uint64_t pte_bytes, pmd_bytes, pud_bytes, none_bytes, table_bytes;
	uint32_t levels;
};

/** An event; has_ flags say what is there. */
struct hpbuf_nl_event {
	uint64_t seq, time_ns, size, took_ns;
	uint32_t kind, id, page_shift, cause, err;
	bool has_id;
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

/** hpbuf_nl_walk - leaf census of the caller's [addr, addr + len) */
int hpbuf_nl_walk(struct hpbuf_nl *nl, const void *addr, size_t len,
		  struct hpbuf_nl_walk *walk);

/** hpbuf_nl_subscribe - join the group "events" */
int hpbuf_nl_subscribe(struct hpbuf_nl *nl);

/**
 * hpbuf_nl_event - wait for the next event, at most @timeout_ms (-1: for ever)
 * -EAGAIN: none came; -ENOBUFS: some were lost (the next one's seq tells how
 * many), the socket goes on.
 */
int hpbuf_nl_event(struct hpbuf_nl *nl, int timeout_ms, struct hpbuf_nl_event *ev);

#ifdef __cplusplus
}
#endif

#endif /* LIBHPBUF_H */
