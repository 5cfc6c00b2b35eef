/* SPDX-License-Identifier: GPL-2.0-only */
/* A worker: threads, each with buffers of its own, doing one thing after another. */
#ifndef HPBUF_STRESS_WORKER_H
#define HPBUF_STRESS_WORKER_H

#include "stress.h"

#define SLOTS		6
#define WORKER_THREADS	2

/*
 * struct slot - a buffer, and where it is mapped
 * @fd: -1: none; the rest says nothing then
 * @map: NULL: not mapped
 * @map_off: the part that is mapped begins there
 * @stamped: the whole buffer is; else it is still zero
 */
struct slot {
	int fd;
	uint32_t id;
	unsigned int shift;
	uint64_t size;
	unsigned char *map;
	uint64_t map_off;
	size_t map_len;
	int prot;
	bool stamped;
};

/*
 * struct actor - a thread of a worker
 * @pipe: pages that were pinned are in it, or -1
 * @pin_id, @pin_off: of what buffer, and where in it
 */
struct actor {
	struct rng rng;
	int dev;
	struct hpbuf_nl *nl;
	struct hpbuf_caps caps;
	struct slot slot[SLOTS];
	int pipe[2];
	uint32_t pin_id;
	uint64_t pin_off;
};

/* Become a worker. Returns its exit status when it cannot go on. */
int worker_main(uint64_t number);

/* One of the slots that has a buffer, or has it mapped; NULL: there is none. */
struct slot *slot_any(struct actor *a);
struct slot *slot_mapped(struct actor *a);

void slot_unmap(struct slot *s);
void slot_close(struct actor *a, struct slot *s);

static inline uint64_t slot_page(const struct slot *s)
{
	return 1ULL << s->shift;
}

/* ---- the things it does ---- */

void do_alloc(struct actor *a);
void do_persist(struct actor *a);
void do_close(struct actor *a);
void do_open(struct actor *a);
void do_free(struct actor *a);
void do_info(struct actor *a);
void do_list(struct actor *a);

void do_map(struct actor *a);
void do_touch(struct actor *a);
void do_unmap(struct actor *a);
void do_protect(struct actor *a);
void do_remap(struct actor *a);
void do_populate(struct actor *a);
void do_advise(struct actor *a);
void do_fork(struct actor *a);

void do_walk(struct actor *a);
void do_proc(struct actor *a);
void do_readv(struct actor *a);
void do_pin(struct actor *a);
void do_unpin(struct actor *a);
void do_kill(struct actor *a);

#endif
