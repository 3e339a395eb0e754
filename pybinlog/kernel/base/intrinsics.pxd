# Instructions on sixteen bytes: carry-less multiplication, shuffles, sums. The whole module that reads this file is
# compiled for processors that have them: it is for carryless.py and shuffles.py alone.

cdef extern from *:
    """
    #if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
    #pragma GCC target("ssse3,pclmul")
    #include <tmmintrin.h>
    #include <wmmintrin.h>
    #define instructions_present() (__builtin_cpu_supports("pclmul") && __builtin_cpu_supports("ssse3"))
    #else
    /* Elsewhere the tables of `checksum` and `text` do the work, and what stands here is never called. */
    typedef struct { char bytes[16]; } __m128i;
    static __m128i _mm_loadu_si128(const __m128i* from) { return *from; }
    static __m128i _mm_cvtsi32_si128(int a) { __m128i to = {{(char)a}}; return to; }
    static int _mm_cvtsi128_si32(__m128i a) { return a.bytes[0]; }
    static __m128i _mm_and_si128(__m128i a, __m128i b) { return a; }
    static __m128i _mm_xor_si128(__m128i a, __m128i b) { return a; }
    static __m128i _mm_shuffle_epi8(__m128i a, __m128i b) { return a; }
    #define _mm_clmulepi64_si128(a, b, which) (a)
    #define _mm_srli_si128(a, bytes) (a)
    static void _mm_storeu_si128(__m128i* to, __m128i a) { *to = a; }
    static __m128i _mm_or_si128(__m128i a, __m128i b) { return a; }
    static __m128i _mm_add_epi8(__m128i a, __m128i b) { return a; }
    static __m128i _mm_subs_epu8(__m128i a, __m128i b) { return a; }
    static __m128i _mm_cmpgt_epi8(__m128i a, __m128i b) { return a; }
    static __m128i _mm_mulhi_epu16(__m128i a, __m128i b) { return a; }
    static __m128i _mm_mullo_epi16(__m128i a, __m128i b) { return a; }
    #define instructions_present() 0
    #endif
    """
    ctypedef struct __m128i:
        pass
    bint instructions_present() nogil
    __m128i _mm_loadu_si128(const __m128i* source) nogil
    __m128i _mm_cvtsi32_si128(int a) nogil
    int _mm_cvtsi128_si32(__m128i a) nogil
    __m128i _mm_and_si128(__m128i a, __m128i b) nogil
    __m128i _mm_xor_si128(__m128i a, __m128i b) nogil
    __m128i _mm_shuffle_epi8(__m128i a, __m128i b) nogil
    __m128i _mm_clmulepi64_si128(__m128i a, __m128i b, const int which) nogil
    __m128i _mm_srli_si128(__m128i a, const int bytes) nogil
    void _mm_storeu_si128(__m128i* to, __m128i a) nogil
    __m128i _mm_or_si128(__m128i a, __m128i b) nogil
    __m128i _mm_add_epi8(__m128i a, __m128i b) nogil
    __m128i _mm_subs_epu8(__m128i a, __m128i b) nogil
    __m128i _mm_cmpgt_epi8(__m128i a, __m128i b) nogil
    __m128i _mm_mulhi_epu16(__m128i a, __m128i b) nogil
    __m128i _mm_mullo_epi16(__m128i a, __m128i b) nogil
