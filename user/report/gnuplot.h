/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gnuplot, looked for when a plot is wanted. */
#ifndef HPCTL_REPORT_GNUPLOT_H
#define HPCTL_REPORT_GNUPLOT_H

#include <stddef.h>

#include "error.h"

/**
 * gnuplot_svg - what gnuplot makes of a script
 * @script: begins with "set terminal svg"; not a word of it may come from a file unseen
 * @number: of the plot on its page: ids are its own
 * @svg: from "<svg" to "</svg>", to be freed
 *
 * HP_UNSUPPORTED: there is no gnuplot in PATH; HP_FAILED: it failed, with its first
 * line, or took more than a minute.
 */
int gnuplot_svg(const char *script, size_t len, unsigned int number, char **svg,
		struct hp_error *e);

#endif
