// SPDX-License-Identifier: GPL-2.0-only
/* Chance, contents, files, time. */
#include "stress.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MIX	0x9e3779b97f4a7c15ULL

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 31) * MIX;
	x = (x ^ x >> 29) * 0xd6e8feb86659fd93ULL;
	return x ^ x >> 32;
}

struct rng rng_make(uint64_t a, uint64_t b, uint64_t c)
{
	return (struct rng){ mix(mix(mix(a + MIX) + b) + c) };
}

uint64_t rng_next(struct rng *r)
{
	r->state += MIX;
	return mix(r->state);
}

/* ---- contents ---- */

static uint64_t stamp_of(uint64_t off, uint32_t id)
{
	return (off + 1) * MIX ^ (uint64_t)id << 32 ^ id;
}

void stamp_write(volatile unsigned char *p, size_t len, uint64_t off, uint32_t id)
{
	size_t i;

	for (i = 0; i < len; i += SZ_4K) {
		*(volatile uint64_t *)(p + i) = stamp_of(off + i, id);
		*(volatile uint64_t *)(p + i + SZ_4K - 8) = stamp_of(~(off + i), id);
	}
}

long stamp_check(const volatile unsigned char *p, size_t len, uint64_t off, uint32_t id)
{
	size_t i;

	for (i = 0; i < len; i += SZ_4K) {
		if (*(const volatile uint64_t *)(p + i) != stamp_of(off + i, id))
			return i;
		if (*(const volatile uint64_t *)(p + i + SZ_4K - 8) != stamp_of(~(off + i), id))
			return i + SZ_4K - 8;
	}
	return -1;
}

long stamp_nonzero(const volatile unsigned char *p, size_t len, size_t stride)
{
	size_t i;

	for (i = 0; i < len; i += stride)
		if (*(const volatile uint64_t *)(p + i))
			return i;
	return *(const volatile uint64_t *)(p + len - 8) ? (long)len - 8 : -1;
}

/* ---- files ---- */

int text_read(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret = 0;
	ssize_t n;

	buf[0] = '\0';
	if (fd < 0)
		return -errno;
	n = read(fd, buf, size - 1);
	if (n < 0)
		ret = -errno;
	else
		buf[n] = '\0';
	close(fd);
	return ret;
}

int text_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

long number_read(const char *path, long dflt)
{
	char text[64];

	return text_read(path, text, sizeof(text)) ? dflt : strtol(text, NULL, 0);
}

/* ---- time ---- */

void pause_ms(unsigned int ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000L };

	nanosleep(&t, NULL);
}

uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

unsigned int time_scale(void)
{
	const char *text = getenv("HPBUF_TIMEOUT_SCALE");
	long scale = text ? strtol(text, NULL, 10) : 1;

	return scale > 1 ? scale : 1;
}
