/* What the kernel calls in each block of code when it is built with -fsanitize-coverage=trace-pc: which were reached.
 *
 * A test's own process reads and clears the map; those that it starts map a file of the folder PYBINLOG_REACH, so that
 * nothing is lost however they end. A call has five bytes or more, so no two of them share a quarter of an address. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define PLACES (1 << 22)

uint8_t *kernel_reached;
static uintptr_t base;

__attribute__((constructor)) static void prepare(void)
{
    const char *folder = getenv("PYBINLOG_REACH");
    int file = -1;
    if (folder) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%d", folder, (int)getpid());
        file = open(path, O_RDWR | O_CREAT, 0600);
        if (file >= 0 && ftruncate(file, PLACES))
            _exit(99);
    }
    kernel_reached = mmap(0, PLACES, PROT_READ | PROT_WRITE, file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, file, 0);
    if (kernel_reached == MAP_FAILED)
        _exit(99);
    if (file >= 0)
        close(file);
}

void __sanitizer_cov_trace_pc(void)
{
    uintptr_t place = (uintptr_t)__builtin_return_address(0);
    if (!base) {
        Dl_info found;
        dladdr((void *)place, &found);
        base = (uintptr_t)found.dli_fbase;
    }
    kernel_reached[((place - base) >> 2) & (PLACES - 1)] = 1;
}
