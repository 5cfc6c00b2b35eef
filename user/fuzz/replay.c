// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs files through a fuzz target, for compilers without libFuzzer. */
#include "fuzz.h"

#include <errno.h>
#include <string.h>

static int run(const char *path)
{
	static uint8_t room[1 << 20];
	FILE *f = fopen(path, "rb");
	uint8_t *exact;
	size_t size;

	if (!f) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return 1;
	}
	size = fread(room, 1, sizeof(room), f);
	fclose(f);
	/* Of its own size, so that a read beyond it is seen. */
	exact = malloc(size ? size : 1);
	if (!exact)
		return 1;
	memcpy(exact, room, size);
	LLVMFuzzerTestOneInput(exact, size);
	free(exact);
	return 0;
}

int main(int argc, char **argv)
{
	int ret = 0;

	for (int i = 1; i < argc; i++)
		ret |= run(argv[i]);
	printf("%d inputs\n", argc - 1);
	return ret;
}
