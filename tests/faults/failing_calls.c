/* Let one kind of system call fail for files whose path has FAULT_PATH in it, after the first FAULT_AFTER of them:
   FAULT_CALL is read, write or fsync, FAULT_ERRNO the error. tests/faults/test_failing_disks.py preloads it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static int fails(const char *call, int file)
{
    static long seen;
    char link[64], path[4096];
    ssize_t length;

    if (strcmp(getenv("FAULT_CALL"), call))
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return 0;
    path[length] = 0;
    if (!strstr(path, getenv("FAULT_PATH")) || seen++ < atol(getenv("FAULT_AFTER")))
        return 0;
    errno = atoi(getenv("FAULT_ERRNO"));
    return 1;
}

#define CALL(kind, result, name, parameters, ...) \
    result name parameters \
    { \
        static __typeof__(name) *real; \
        if (!real) \
            real = dlsym(RTLD_NEXT, #name); \
        return fails(kind, file) ? -1 : real(__VA_ARGS__); \
    }

CALL("read", ssize_t, read, (int file, void *to, size_t size), file, to, size)
CALL("read", ssize_t, readv, (int file, const struct iovec *to, int count), file, to, count)
CALL("read", ssize_t, preadv, (int file, const struct iovec *to, int count, off_t at), file, to, count, at)
CALL("read", ssize_t, preadv2, (int file, const struct iovec *to, int count, off_t at, int flags), file, to, count, at, flags)
CALL("read", ssize_t, preadv64v2, (int file, const struct iovec *to, int count, off64_t at, int flags), file, to, count, at, flags)
CALL("write", ssize_t, write, (int file, const void *from, size_t size), file, from, size)
CALL("write", ssize_t, writev, (int file, const struct iovec *from, int count), file, from, count)
CALL("fsync", int, fsync, (int file), file)
CALL("fsync", int, fdatasync, (int file), file)
