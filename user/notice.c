// SPDX-License-Identifier: GPL-2.0-or-later
#include "notice.h"

#include <inttypes.h>
#include <linux/hpbuf_netlink.h>
#include <string.h>

#include "error.h"
#include "out/out.h"

static json_t *u64_if(bool has, uint64_t v)
{
	return has ? json_integer((json_int_t)v) : json_null();
}

static json_t *page_bytes(uint32_t shift)
{
	return u64_if(shift && shift < 63, UINT64_C(1) << (shift & 63));
}

json_t *notice_event(const struct hpbuf_nl_event *ev)
{
	bool fail = ev->kind == HPBUF_EVENT_KIND_FAIL;
	const char *name = fail ? strerrorname_np((int)ev->err) : NULL;

	/* What was asked for may be any number of 64 bits. */
	return json_pack("{s:s, s:I, s:I, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
			 "type", "event", "seq", (json_int_t)ev->seq,
			 "time_ns", (json_int_t)ev->time_ns,
			 "kind", hpbuf_nl_kind_name(ev->kind), "id", u64_if(ev->has_id, ev->id),
			 "page_bytes", page_bytes(ev->page_shift),
			 "bytes", u64_if(ev->size <= INT64_MAX, ev->size),
			 "took_ns", u64_if(ev->has_took, ev->took_ns),
			 "cause", fail ? json_string(hpbuf_nl_cause_name(ev->cause)) : json_null(),
			 "errno", name ? json_string(name) : json_null(),
			 "done_bytes", u64_if(ev->has_done, ev->done));
}

json_t *notice_stall(const struct hpbuf_nl_stall *st)
{
	return json_pack("{s:s, s:I, s:I, s:s, s:I, s:I, s:I, s:o, s:o, s:o}",
			 "type", "stall", "seq", (json_int_t)st->seq,
			 "time_ns", (json_int_t)st->time_ns,
			 "source", hpbuf_nl_source_name(st->source),
			 "took_ns", (json_int_t)st->took_ns, "pid", (json_int_t)st->pid,
			 "tid", (json_int_t)st->tid, "comm", out_string(st->comm),
			 "order", u64_if(st->has_order, st->order),
			 "pages", u64_if(st->has_pages, st->pages));
}

json_t *notice_lost(enum hpbuf_nl_what what, uint64_t count)
{
	return json_pack("{s:s, s:s, s:o}", "type", "lost",
			 "what", what == HPBUF_NL_STALL ? "stalls" : "events",
			 "count", u64_if(count, count));
}

json_t *notice_buffer(const struct hpbuf_nl_buf *buf)
{
	return json_pack("{s:s, s:I, s:o, s:I, s:o, s:I}", "type", "buffer",
			 "id", (json_int_t)buf->id,
			 "name", *buf->name ? out_string(buf->name) : json_null(),
			 "bytes", (json_int_t)buf->size,
			 "page_bytes", page_bytes(buf->page_shift), "uid", (json_int_t)buf->uid);
}

json_t *notice_sync(uint64_t buffers)
{
	return json_pack("{s:s, s:I}", "type", "sync", "buffers", (json_int_t)buffers);
}

/* ---- text ---- */

static const char *text_of(const json_t *n, const char *key)
{
	const char *text = json_string_value(json_object_get(n, key));

	return text ? text : "";
}

static unsigned long long number_of(const json_t *n, const char *key)
{
	return (unsigned long long)json_integer_value(json_object_get(n, key));
}

static bool has(const json_t *n, const char *key)
{
	return !json_is_null(json_object_get(n, key));
}

/* Seconds since boot, as the kernel log has them. */
static void put_time(FILE *f, const json_t *n)
{
	unsigned long long ns = number_of(n, "time_ns");

	fprintf(f, "[%5llu.%06llu] ", ns / 1000000000, ns % 1000000000 / 1000);
}

static void put_size(FILE *f, const json_t *n)
{
	char a[32], b[32];

	fputs(has(n, "bytes") ? out_bytes(a, number_of(n, "bytes")) : "8 EiB or more", f);
	if (has(n, "page_bytes"))
		fprintf(f, " in pages of %s", out_bytes(b, number_of(n, "page_bytes")));
}

static void text_event(FILE *f, const json_t *n)
{
	char took[32], done[32];

	put_time(f, n);
	fprintf(f, "%-5s ", text_of(n, "kind"));
	if (has(n, "id"))
		fprintf(f, "buffer %llu, ", number_of(n, "id"));
	put_size(f, n);
	if (has(n, "cause"))
		fprintf(f, ": %s (%s)", text_of(n, "cause"), text_of(n, "errno"));
	/* Of an allocation under way. */
	if (has(n, "done_bytes"))
		fprintf(f, ": %s so far, for %s", out_bytes(done, number_of(n, "done_bytes")),
			out_ns(took, (double)number_of(n, "took_ns")));
	else if (has(n, "took_ns"))
		fprintf(f, ", took %s", out_ns(took, (double)number_of(n, "took_ns")));
}

static void text_stall(FILE *f, const json_t *n)
{
	char took[32], comm[80];

	/* A thread's name is whatever it likes. */
	snprintf(comm, sizeof(comm), "%s", text_of(n, "comm"));
	hp_clean(comm);
	put_time(f, n);
	fprintf(f, "stall %s took %s, %s, process %llu, thread %llu", text_of(n, "source"),
		out_ns(took, (double)number_of(n, "took_ns")), comm, number_of(n, "pid"),
		number_of(n, "tid"));
	if (has(n, "order"))
		fprintf(f, ", order %llu", number_of(n, "order"));
	if (has(n, "pages"))
		fprintf(f, ", %llu pages", number_of(n, "pages"));
}

void notice_text(FILE *f, const json_t *n)
{
	const char *type = text_of(n, "type");

	if (!strcmp(type, "event")) {
		text_event(f, n);
	} else if (!strcmp(type, "stall")) {
		text_stall(f, n);
	} else if (!strcmp(type, "lost")) {
		if (has(n, "count"))
			fprintf(f, "%llu %s lost", number_of(n, "count"), text_of(n, "what"));
		else
			fprintf(f, "%s lost; the next one tells how many", text_of(n, "what"));
	} else if (!strcmp(type, "buffer")) {
		fprintf(f, "there is buffer %llu, ", number_of(n, "id"));
		put_size(f, n);
		fprintf(f, "%s%s, uid %llu", has(n, "name") ? ", " : "", text_of(n, "name"),
			number_of(n, "uid"));
	} else {
		fprintf(f, "these are all: %llu buffers", number_of(n, "buffers"));
	}
}
