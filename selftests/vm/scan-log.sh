#!/bin/bash
# scan-log.sh - find the lines of a kernel log that must fail a test run.
#
# usage: scan-log.sh [-x ERE] LOG...
#	-x ERE	lines to put up with (also HPBUF_SCAN_ALLOW)
#
# Guarantees: exit 0 and silence when there are none; otherwise prints each such
# line once (time stamps ignored) and exits 1.  Exit 2: a log cannot be read.
set -euo pipefail

allow=${HPBUF_SCAN_ALLOW:-}
while getopts x: o; do
	case $o in
	x) allow=${allow:+$allow|}$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || exit 2

# The kernel dumps an "unmovable page" when it is asked to take one off line.
bad='WARNING: |BUG: |BUG at |kernel BUG|KASAN|KCSAN|KFENCE|KMSAN|UBSAN|Oops'
bad+='|general protection fault|Kernel panic|unable to handle|Unable to handle'
bad+='|[Bb]ad page|[Bb]ad (pud|pmd|pte|p4d|pgd)|[Bb]ad rss-counter|[Bb]ad swap'
bad+='|non-zero pgtables_bytes|corrupted page table|VM_BUG_ON|page dumped because: ([^u]|u[^n])'
bad+='|refcount_t: |percpu ref .* <= 0|list_(add|del) corruption|Slab corruption'
bad+='|kmemleak: [1-9]|ODEBUG|page allocation failure|page allocation stalls'
bad+='|soft lockup|hard LOCKUP|blocked for more than|hung_task|rcu.* stall|self-detected stall'
bad+='|possible (recursive|circular|irq lock)|inconsistent lock state|suspicious RCU'
bad+='|lock held when returning|bad unlock balance|held lock freed|DEADLOCK|INFO: trying to register'
bad+='|sleeping function called|scheduling while atomic|Voluntary context switch within'
bad+='|double fault|stack (guard page|segment)|stack-protector|exception RIP|nobody cared'
bad+='|Disabling lock debugging due to kernel taint|segfault at .* in hpctl'

awk -v bad="$bad" -v allow="$allow" '
	{ sub(/\r$/, ""); line = $0
	  sub(/^<[0-9]+>/, "", line); sub(/^\[ *[0-9.]+\](\[[^]]*\])? */, "", line) }
	line ~ bad && (allow == "" || line !~ allow) && !seen[line]++ { print line; n = 1 }
	END { exit n }' "$@"
