/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls that the linker's --wrap leads to fuzz_nl.c and fuzz_proc.c. */
#ifndef HPCTL_FUZZ_WRAP_H
#define HPCTL_FUZZ_WRAP_H

#include <libmnl/libmnl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>

int __wrap_poll(struct pollfd *fds, nfds_t nr, int timeout);
ssize_t __wrap_recvmsg(int fd, struct msghdr *msg, int flags);
ssize_t __wrap_mnl_socket_sendto(const struct mnl_socket *nl, const void *buf, size_t len);
int __wrap_mnl_socket_get_fd(const struct mnl_socket *nl);
unsigned int __wrap_mnl_socket_get_portid(const struct mnl_socket *nl);

FILE *__wrap_fopen(const char *path, const char *mode);
FILE *__real_fopen(const char *path, const char *mode);
ssize_t __wrap_pread(int fd, void *buf, size_t len, off_t at);
ssize_t __real_pread(int fd, void *buf, size_t len, off_t at);

#endif
