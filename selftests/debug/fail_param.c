// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading and writing the module's parameters, and opening its device, with each
 * allocation failing in turn.
 */
#include "failnth.h"

#define PARAM	"/sys/module/hpbuf/parameters/max_bytes"
#define VALUE	"2147483648\n"	/* 2 GiB */

struct param {
	char before[32], text[32];
	int fd;
};

static long run_read(void *arg)
{
	struct param *p = arg;

	return hpt_read_text(PARAM, p->text, sizeof(p->text));
}

static bool end_read(void *arg, long ret)
{
	struct param *p = arg;

	return ret || !strcmp(p->text, p->before);
}

static long run_write(void *arg)
{
	(void)arg;
	return hpt_write_text(PARAM, VALUE);
}

/* All of it or nothing, and back. */
static bool end_write(void *arg, long ret)
{
	struct param *p = arg;

	if (hpt_read_text(PARAM, p->text, sizeof(p->text)))
		return false;
	return !strcmp(p->text, ret ? p->before : VALUE) && !hpt_write_text(PARAM, p->before);
}

static long run_open(void *arg)
{
	struct param *p = arg;

	p->fd = open(HPBUF_DEVICE, O_RDWR | O_CLOEXEC);
	return hpt_errno(p->fd);
}

static bool end_open(void *arg, long ret)
{
	struct param *p = arg;
	struct hpbuf_caps caps;

	return ret < 0 || (!hpt_caps(p->fd, &caps) && !close(p->fd));
}

FIXTURE(param) {
	struct fail_env env;
	struct param p;
};

FIXTURE_SETUP(param)
{
	ASSERT_EQ(0, fail_open(&self->env));
	ASSERT_EQ(0, hpt_read_text(PARAM, self->p.before, sizeof(self->p.before)));
	ASSERT_STRNE(VALUE, self->p.before);
}

FIXTURE_TEARDOWN(param)
{
	hpt_write_text(PARAM, "0");
	fail_close(&self->env);
}

/* hpt_read_text() says EIO when read() fails. */
TEST_F(param, read)
{
	static const struct fail_op op = { "read a parameter", NULL, run_read, end_read,
					   { EFAULT, ENFILE, EIO } };

	fail_series(_metadata, &self->env, &op, &self->p);
}

TEST_F(param, write)
{
	static const struct fail_op op = { "write a parameter", NULL, run_write, end_write,
					   { EFAULT, ENFILE } };

	fail_series(_metadata, &self->env, &op, &self->p);
}

TEST_F(param, open_device)
{
	static const struct fail_op op = { "open the device", NULL, run_open, end_open,
					   { EFAULT, ENFILE } };

	fail_series(_metadata, &self->env, &op, &self->p);
}

FAIL_TEST_MAIN
