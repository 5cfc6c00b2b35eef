/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel log as a test's witness: whatever the kernel complains about after
 * klog_begin() fails the test program.
 */
#ifndef HPBUF_KLOG_H
#define HPBUF_KLOG_H

#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define KLOG_BAD							\
	"WARNING: |BUG: |BUG at |kernel BUG|KASAN|KCSAN|KFENCE|UBSAN|Oops"	\
	"|general protection fault|[Uu]nable to handle|[Bb]ad page"	\
	"|[Bb]ad (pud|pmd|pte|p4d|pgd)|[Bb]ad rss-counter|VM_BUG_ON"	\
	"|non-zero pgtables_bytes|orrupted page table|page dumped because: ([^u]|u[^n])"	\
	"|refcount_t: |list_(add|del) corruption|Slab corruption|ODEBUG" \
	"|page allocation failure|soft lockup|hard LOCKUP|blocked for more than" \
	"|rcu.* stall|possible (recursive|circular|irq lock)"		\
	"|inconsistent lock state|suspicious RCU|lock held when returning" \
	"|bad unlock balance|held lock freed|sleeping function called"	\
	"|scheduling while atomic|double fault"

static int klog_fd = -1;

/* Remember where the log ends now. Without access to it, klog_bad() is silent. */
static inline void klog_begin(void)
{
	klog_fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (klog_fd >= 0)
		lseek(klog_fd, 0, SEEK_END);
}

/* Count, and print, the bad lines since klog_begin() or the last call. */
static inline int klog_bad(void)
{
	char rec[8192], *text;
	regex_t bad;
	ssize_t n;
	int count = 0;

	if (klog_fd < 0 || regcomp(&bad, KLOG_BAD, REG_EXTENDED | REG_NOSUB))
		return 0;
	for (;;) {
		n = read(klog_fd, rec, sizeof(rec) - 1);
		if (n < 0 && (errno == EPIPE || errno == EINTR))
			continue;	/* some were overwritten */
		if (n <= 0)
			break;
		rec[n] = '\0';
		text = strchr(rec, ';');
		text = text ? text + 1 : rec;
		text[strcspn(text, "\n")] = '\0';
		if (regexec(&bad, text, 0, NULL, 0))
			continue;
		fprintf(stderr, "# kernel log: %s\n", text);
		count++;
	}
	regfree(&bad);
	return count;
}

#endif
