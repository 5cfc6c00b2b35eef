/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * hpbuf: buffers of physically contiguous 2 MiB or 1 GiB pages.
 *
 * A buffer is a set of pages of one size. It is reached through a file
 * descriptor, and it lives as long as a descriptor, a mapping or the
 * HPBUF_ALLOC_PERSIST flag holds it. Whatever ends the last of them (close,
 * munmap, exit, SIGKILL) gives the memory back.
 *
 *	dev = open("/dev/hpbuf", O_RDWR | O_CLOEXEC);
 *	struct hpbuf_alloc a = { .bytes = 1UL << 30, .page_shift = 30 };
 *	ioctl(dev, HPBUF_IOC_ALLOC, &a);
 *	p = mmap(NULL, a.size, PROT_READ | PROT_WRITE, MAP_SHARED, a.fd, 0);
 *
 * Rules that hold for every call
 *
 *  * Structures grow at their end. Their size is part of the ioctl number.
 *    A structure shorter than the module's is taken as if zeros followed, as
 *    long as it has room for what the call is about (else EINVAL). A
 *    longer one is accepted when the surplus is zero, else E2BIG.
 *  * Reserved fields, output fields and unknown flag bits must be zero on the
 *    way in, else EINVAL. An unknown ioctl number is ENOTTY.
 *  * A call either does all it was asked, or nothing (HPBUF_IOC_POPULATE tells
 *    how far it came). Beside the errors it lists, it may fail with EFAULT (the
 *    structure cannot be read or written) and with ENOMEM. HPBUF_IOC_FREE has
 *    been done if only its answer could not be written.
 *  * All memory is zero when it is handed out.
 *
 * Mapping rules
 *
 *  * MAP_SHARED only (MAP_PRIVATE: EINVAL), no PROT_EXEC (EPERM).
 *  * Offset, length and a fixed address are multiples of the page, else EINVAL.
 *  * MAP_FIXED is EINVAL: use MAP_FIXED_NOREPLACE. (The kernel's mremap() could
 *    not be told apart from MAP_FIXED, and moving a 1 GiB leaf corrupts state
 *    in every kernel this was tried on.)
 *  * A part of a page cannot be unmapped, protected or remapped: EINVAL, and
 *    the mapping stays as it was.
 *  * mprotect() of 1 GiB pages is EINVAL; the permissions are chosen at mmap().
 *  * 1 GiB pages need transparent huge pages not to be switched off for the
 *    process (PR_SET_THP_DISABLE, inherited over fork and exec): EOPNOTSUPP.
 *    Someone who switches them off after mmap(), or uses MADV_NOHUGEPAGE on
 *    such a mapping, gets SIGBUS at the next fault, until it is mapped anew.
 *  * From 6.12 on, the kernel drops 1 GiB leaves when somebody reads smaps or
 *    numa_maps of the process (with folio mappings also pagemap, or writes
 *    clear_refs). Nothing is lost: the next access faults them in again.
 *  * A mapping without access (PROT_NONE) has no leaves.
 *  * userfaultfd does not work on buffers: most kernels refuse to register one;
 *    6.12 takes UFFD_FEATURE_WP_ASYNC and then gives SIGBUS.
 *  * When hardware fails in memory of a buffer (memory_failure()), the page of
 *    the buffer that it lies in is unmapped everywhere. Touching any of it is
 *    SIGBUS with BUS_MCEERR_AR, si_addr being the address that was touched
 *    (si_addr_lsb is 12, but all of the buffer's page is lost);
 *    HPBUF_IOC_POPULATE, ptrace and /proc/PID/mem get EFAULT or EIO. The other
 *    pages stay. Who reads the failed memory before it is unmapped, a moment
 *    later, is killed by the kernel with SIGBUS. The page is never lent again.
 *  * Buffers are shared over fork(), left out of core dumps, and not charged to
 *    memory cgroups.
 */
#ifndef _UAPI_LINUX_HPBUF_H
#define _UAPI_LINUX_HPBUF_H

#include <linux/ioctl.h>
#include <linux/types.h>

/** Version of the package that this header belongs to. */
#define HPBUF_MODULE_VERSION	"0.1.0"

/**
 * HPBUF_UAPI_VERSION - changes when a program built for an older value would
 * misread the module. Additions do not change it.
 */
#define HPBUF_UAPI_VERSION	1

/** Name of the device node. */
#define HPBUF_DEVICE		"/dev/hpbuf"

/** Group that owns the device node; mode 0660. */
#define HPBUF_GROUP		"hpbuf"

/** The page sizes there are, as log2 of bytes: 2 MiB and 1 GiB. */
#define HPBUF_SHIFT_2M		21
#define HPBUF_SHIFT_1G		30

/** Bytes of a buffer's name with its closing NUL. */
#define HPBUF_NAME_LEN		32

/** Words of a node mask: bit n % 64 of word n / 64 is NUMA node n, n < 1024. */
#define HPBUF_NODE_WORDS	16

/**
 * Capability bits in hpbuf_caps.flags.
 *
 * HPBUF_CAP_GUP	O_DIRECT, vmsplice, process_vm_readv, io_uring's fixed
 *			buffers and RDMA can pin the pages. Without it they fail
 *			with EFAULT; read(), write(), ptrace and /proc/PID/mem
 *			work in both cases. A buffer with pinned pages stays
 *			charged and listed until the pins are gone.
 * HPBUF_CAP_POPULATE	HPBUF_IOC_POPULATE is there.
 * HPBUF_CAP_MAP_POPULATE	MAP_POPULATE and MADV_POPULATE_* work as well.
 * HPBUF_CAP_MPROTECT_2M	mprotect() works on mappings of 2 MiB pages.
 * HPBUF_CAP_WALK	the netlink command "walk" gives a leaf census.
 * HPBUF_CAP_WALK_TIMING	it times page walks too.
 * HPBUF_CAP_INIT_ON_ALLOC	the kernel zeroes pages inside its allocator
 *			(init_on_alloc=1). The time to zero is then part of the
 *			time to allocate and cannot be told apart.
 */
#define HPBUF_CAP_GUP			(1ULL << 0)
#define HPBUF_CAP_POPULATE		(1ULL << 1)
#define HPBUF_CAP_MAP_POPULATE		(1ULL << 2)
#define HPBUF_CAP_MPROTECT_2M		(1ULL << 3)
#define HPBUF_CAP_WALK			(1ULL << 4)
#define HPBUF_CAP_WALK_TIMING		(1ULL << 5)
#define HPBUF_CAP_INIT_ON_ALLOC		(1ULL << 6)

/**
 * struct hpbuf_caps - HPBUF_IOC_CAPS on the device: what this module can do.
 * @uapi_version: HPBUF_UAPI_VERSION of the module
 * @reserved: zero
 * @module_version: text, closed by NUL
 * @flags: HPBUF_CAP_* bits
 * @page_shifts: bit n is set when pages of 2^n bytes can be had: bit 21, and
 *	bit 30 if the CPU has 1 GiB pages
 * @max_bytes: the module never holds more than this (parameter max_bytes)
 * @used_bytes: held by buffers now
 * @floor_bytes: an allocation that would leave less available memory than this
 *	is refused (parameter floor_bytes)
 *
 * All fields are outputs.
 */
struct hpbuf_caps {
	__u32 uapi_version;
	__u32 reserved;
	char module_version[16];
	__u64 flags;
	__u64 page_shifts;
	__u64 max_bytes;
	__u64 used_bytes;
	__u64 floor_bytes;
};

/**
 * Flags of hpbuf_alloc.flags.
 *
 * HPBUF_ALLOC_PERSIST	the buffer outlives its descriptors, until
 *			HPBUF_IOC_FREE. It keeps the module from being unloaded.
 */
#define HPBUF_ALLOC_PERSIST	(1U << 0)

/** hpbuf_alloc.timeout_ms when it is 0. */
#define HPBUF_TIMEOUT_MS	30000

/**
 * struct hpbuf_alloc - HPBUF_IOC_ALLOC on the device: make a buffer.
 * @bytes: in: wanted, 1 or more; rounded up to whole pages
 * @page_shift: in: HPBUF_SHIFT_2M or HPBUF_SHIFT_1G
 * @flags: in: HPBUF_ALLOC_*
 * @timeout_ms: in: give up after this many milliseconds; 0: HPBUF_TIMEOUT_MS
 * @fd: out: descriptor, close-on-exec, readable and writable. (Zero on the way
 *	in, as every output.)
 * @id: out: the buffer's id, never 0, not used again before 2^31 others
 * @reserved: zero
 * @size: out: bytes given, a multiple of the page
 * @nodes: in: take pages from these NUMA nodes only; all zero: from any, the
 *	caller's own first
 * @name: in: 1 to 31 characters of A-Z a-z 0-9 . _ - and not digits alone, or
 *	empty for none; unique among living buffers
 *
 * The whole buffer is allocated and zeroed before the call returns, with no
 * lock held that other calls need. SIGKILL ends it.
 *
 * Errors, one for each cause:
 *	EINVAL		bad flags, page_shift, name, node beyond 1023, reserved
 *	EOVERFLOW	bytes rounded up to a page do not fit 63 bits
 *	EOPNOTSUPP	the CPU has no 1 GiB pages, or the kernel is from before 6.15
 *			and has page_table_check switched on, which corrupts memory
 *			when such a page is mapped
 *	ENXIO		a node in the mask is not online or has no memory
 *	EEXIST		the name is taken
 *	ENOSPC		max_bytes would be exceeded
 *	EDQUOT		RLIMIT_MEMLOCK would be exceeded, CAP_IPC_LOCK is lacking
 *	ENOMEM		not enough free memory on those nodes above floor_bytes
 *	EBUSY		enough memory, but no contiguous piece can be made free
 *	ETIMEDOUT	timeout_ms passed
 *	EINTR		a fatal signal came
 *	EMFILE, ENFILE	no descriptor left
 */
struct hpbuf_alloc {
	__u64 bytes;
	__u32 page_shift;
	__u32 flags;
	__u32 timeout_ms;
	__s32 fd;
	__u32 id;
	__u32 reserved;
	__u64 size;
	__u64 nodes[HPBUF_NODE_WORDS];
	char name[HPBUF_NAME_LEN];
};

/**
 * Flags of hpbuf_open.flags.
 *
 * HPBUF_OPEN_RDONLY	the descriptor, and what is mapped by it, is read-only
 */
#define HPBUF_OPEN_RDONLY	(1U << 0)

/**
 * struct hpbuf_open - HPBUF_IOC_OPEN on the device: a new descriptor.
 * @id: in: the buffer's id, or 0 to go by name
 * @flags: in: HPBUF_OPEN_*
 * @fd: out: descriptor, close-on-exec
 * @reserved: zero
 * @name: in: name when @id is 0, else empty
 *
 * For the buffer's owner (same user) or CAP_SYS_ADMIN.
 *
 * Errors: EINVAL both or neither of id and name; ENOENT no such buffer;
 * EACCES not the owner; EMFILE, ENFILE.
 */
struct hpbuf_open {
	__u32 id;
	__u32 flags;
	__s32 fd;
	__u32 reserved;
	char name[HPBUF_NAME_LEN];
};

/**
 * struct hpbuf_free - HPBUF_IOC_FREE on the device: drop a persistent buffer.
 * @id: in: the buffer's id
 * @reserved: zero
 * @busy: out: 1 when a descriptor, a mapping, a pin or a reader of the list
 *	still holds the memory: it is given back when the last of them goes; 0
 *	when it is back already
 * @reserved2: zero
 * @free_ns: out: nanoseconds that giving back took; 0 while @busy
 *
 * For the buffer's owner or CAP_SYS_ADMIN. Afterwards the buffer cannot be
 * opened any more and its name is free.
 *
 * Errors: EINVAL the buffer is not persistent; ENOENT; EACCES.
 */
struct hpbuf_free {
	__u32 id;
	__u32 reserved;
	__u32 busy;
	__u32 reserved2;
	__u64 free_ns;
};

/**
 * Flags of hpbuf_info.flags.
 *
 * HPBUF_INFO_PERSIST	the buffer is persistent
 * HPBUF_INFO_RDONLY	this descriptor is read-only
 * HPBUF_INFO_ZERO_NS	zero_ns was measured; without it zeroing is part of
 *			migrate_ns (see HPBUF_CAP_INIT_ON_ALLOC)
 */
#define HPBUF_INFO_PERSIST	(1U << 0)
#define HPBUF_INFO_RDONLY	(1U << 1)
#define HPBUF_INFO_ZERO_NS	(1U << 2)

/** Nodes told apart in hpbuf_info.node_pages; pages of others are in none. */
#define HPBUF_INFO_NODES	64

/**
 * struct hpbuf_info - HPBUF_IOC_INFO on a buffer's descriptor.
 * @id: the buffer's id
 * @page_shift: its page size
 * @flags: HPBUF_INFO_*
 * @uid: owner, in the initial user namespace
 * @asked: bytes asked for
 * @size: bytes it has
 * @name: name or empty
 * @created_ns: CLOCK_BOOTTIME when it was made
 * @alloc_ns: getting its pages, zeroed
 * @scan_ns: of that, looking for candidates
 * @migrate_ns: of that, isolating and migrating (the page allocator's calls)
 * @zero_ns: of that, zeroing; see HPBUF_INFO_ZERO_NS
 * @faults: page faults that the module served: to set leaves, or to find them set by
 *	another thread. One of a 1 GiB page sets its leaf; one of a 2 MiB page sets
 *	those of all pages in the same aligned gigabyte of the mapping
 * @fault_ns: time the module took for those, in sum; what the kernel does before
 *	and after is not in it
 * @fault_max_ns: longest of those
 * @mappings: mappings there are now, in all processes
 * @opens: open file descriptions there are now
 * @leaf_bytes_pte: of the caller's mappings of this buffer, bytes that the page
 *	tables map by 4 KiB leaves now (always 0 unless something is badly wrong)
 * @leaf_bytes_pmd: by 2 MiB leaves
 * @leaf_bytes_pud: by 1 GiB leaves
 * @leaf_bytes_none: not mapped by any leaf now: not touched yet, or dropped
 * @node_pages: pages on each of the nodes 0 to 63, verified page by page
 * @thread_ns: CPU time that threads of the module took for alloc_ns: system time that is
 *	in no process's account. They may have run at the same time
 *
 * All fields are outputs. The leaf figures come from the page tables.
 */
struct hpbuf_info {
	__u32 id;
	__u32 page_shift;
	__u32 flags;
	__u32 uid;
	__u64 asked;
	__u64 size;
	char name[HPBUF_NAME_LEN];
	__u64 created_ns;
	__u64 alloc_ns;
	__u64 scan_ns;
	__u64 migrate_ns;
	__u64 zero_ns;
	__u64 faults;
	__u64 fault_ns;
	__u64 fault_max_ns;
	__u64 mappings;
	__u64 opens;
	__u64 leaf_bytes_pte;
	__u64 leaf_bytes_pmd;
	__u64 leaf_bytes_pud;
	__u64 leaf_bytes_none;
	__u32 node_pages[HPBUF_INFO_NODES];
	__u64 thread_ns;
};

/**
 * struct hpbuf_populate - HPBUF_IOC_POPULATE on a buffer's descriptor.
 * @addr: in: where the caller has it mapped, a multiple of the page
 * @len: in: bytes, a multiple of the page, not 0
 * @flags: zero
 * @reserved: zero
 * @done: out: bytes that are mapped now; written also when the call fails
 *
 * Installs the leaves of [addr, addr + len), writable where the mapping is.
 *
 * Errors: EINVAL alignment, overflow; ENOMEM a part of the range is not a
 * mapping of this buffer; EFAULT a fault could not be served (huge pages are
 * switched off for the process); EINTR a signal came.
 */
struct hpbuf_populate {
	__u64 addr;
	__u64 len;
	__u32 flags;
	__u32 reserved;
	__u64 done;
};

#define HPBUF_IOC_MAGIC		0xbb

#define HPBUF_IOC_CAPS		_IOWR(HPBUF_IOC_MAGIC, 0x00, struct hpbuf_caps)
#define HPBUF_IOC_ALLOC		_IOWR(HPBUF_IOC_MAGIC, 0x01, struct hpbuf_alloc)
#define HPBUF_IOC_OPEN		_IOWR(HPBUF_IOC_MAGIC, 0x02, struct hpbuf_open)
#define HPBUF_IOC_FREE		_IOWR(HPBUF_IOC_MAGIC, 0x03, struct hpbuf_free)
#define HPBUF_IOC_INFO		_IOWR(HPBUF_IOC_MAGIC, 0x10, struct hpbuf_info)
#define HPBUF_IOC_POPULATE	_IOWR(HPBUF_IOC_MAGIC, 0x11, struct hpbuf_populate)

#endif /* _UAPI_LINUX_HPBUF_H */
