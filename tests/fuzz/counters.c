/* What the kernel calls at each branch when it is built with -fsanitize-coverage=trace-pc: counts for libFuzzer.
 *
 * libFuzzer looks at an array of counters; the place of a branch in it is a hash of where it was called from. */

#include <stdint.h>

#define COUNTERS (1 << 16)

uint8_t kernel_counters[COUNTERS];

void __sanitizer_cov_trace_pc(void)
{
    uintptr_t place = (uintptr_t)__builtin_return_address(0);
    kernel_counters[((place >> 2) ^ (place >> 18)) & (COUNTERS - 1)]++;
}
