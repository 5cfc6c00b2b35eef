// SPDX-License-Identifier: GPL-2.0-or-later
/* The life of a mapping: its stages, one behind the other. */
#include "report/plot.h"

#include <stdlib.h>
#include <string.h>

#include "out/fmt.h"
#include "report/collect.h"

#define NAMES_MAX	40

struct names {
	const char *name[NAMES_MAX];
	size_t nr;
};

static size_t number_of(struct names *names, const char *name)
{
	size_t i = 0;

	while (i < names->nr && strcmp(names->name[i], name))
		i++;
	if (i == names->nr && i < NAMES_MAX)
		names->name[names->nr++] = name;
	return i;
}

static double sum_of(const json_t *row)
{
	const json_t *stage;
	double sum = 0;
	size_t i;

	json_array_foreach(json_object_get(row, "stages"), i, stage)
		sum += json_number_value(json_object_get(stage, "ns"));
	return sum;
}

/* Both passes of a workload have the same stages: once is enough. */
static bool is_there(const json_t *row)
{
	double sum = sum_of(row);

	return sum > 0 && sum < 1e18 && strcmp(report_text(row, "pass"), "second") &&
	       !json_is_true(json_object_get(row, "series"));
}

static void put_row(struct plots *p, FILE *data, const json_t *row, size_t n, double factor,
		    struct names *names)
{
	char name[192], text[32];
	const json_t *stage;
	double from = 0;
	size_t i;

	fprintf(p->script, "set ytics %s(", n > 1 ? "add " : "");
	plot_label(p->script, plot_row_name(p, row, true, name, sizeof(name)));
	fprintf(p->script, " %zu)\nset label '%s' at graph 1.01,first %zu\n", n,
		out_ns(text, sum_of(row)), n);
	json_array_foreach(json_object_get(row, "stages"), i, stage) {
		double ns = json_number_value(json_object_get(stage, "ns")) / factor;
		size_t color = number_of(names, report_text(stage, "name"));

		if (ns <= 0)
			continue;
		fprintf(data, "%.9g %zu %.9g %.9g %.2f %.2f %u\n", from + ns / 2, n, from,
			from + ns, (double)n - 0.36, (double)n + 0.36,
			plot_shade(row, plot_color(color)));
		from += ns;
	}
}

static void put_rows(struct plots *p, const json_t *rows, double factor, struct names *names)
{
	char *text = NULL;
	size_t size, i, n = 0;
	FILE *data = open_memstream(&text, &size);
	const json_t *row;

	json_array_foreach(rows, i, row)
		if (data && is_there(row))
			put_row(p, data, row, ++n, factor, names);
	if (data)
		fclose(data);
	if (text)
		fprintf(p->script, "$d << EOD\n%sEOD\n"
			"plot $d using 1:2:3:4:5:6:7 with boxxyerror lc rgb variable\n", text);
	free(text);
}

int plots_stages(struct plots *p, struct hp_error *e)
{
	const json_t *rows = json_object_get(p->doc, "results"), *row;
	struct names names = { .nr = 0 };
	double most = 0, factor;
	size_t i, nr = 0;
	const char *unit;

	json_array_foreach(rows, i, row) {
		if (!is_there(row))
			continue;
		nr++;
		most = sum_of(row) > most ? sum_of(row) : most;
	}
	if (!nr || plot_begin(p, plot_height(nr), e))
		return e->code;
	unit = plot_unit(most, &factor);
	plot_rows(p, nr);
	fprintf(p->script, "set xrange [0:%.6g]\nset xlabel '%s'\n", most * 1.01 / factor, unit);
	put_rows(p, rows, factor, &names);
	if (plot_end(p, "Stages of a mapping's life",
		     "Medians of the counted runs, one behind the other; at the right their sum.\n"
		     "\"warm\" and \"init\" are not part of any figure.", e))
		return e->code;
	plot_legend_begin(p);
	for (i = 0; i < names.nr; i++)
		plot_legend(p, plot_color(i), names.name[i]);
	plot_legend_end(p);
	return HP_OK;
}
