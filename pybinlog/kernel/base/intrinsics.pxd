# Instructions on 16 and 32 bytes: carry-less multiplication, shuffles, comparisons, sums. The whole module that reads
# this file is compiled for processors that have them: it is for carryless.py, blocks.py and mask/lanes.py.

cdef extern from *:
    """
    #if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
    #pragma GCC target("avx2,bmi,pclmul")
    #include <immintrin.h>
    #define instructions_present() \
        (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("pclmul"))
    #define load_halves(low, high) \
        _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i*)(low))), \
                                _mm_loadu_si128((const __m128i*)(high)), 1)
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
    typedef struct { char bytes[32]; } __m256i;
    static __m256i _mm256_loadu_si256(const __m256i* from) { return *from; }
    static void _mm256_storeu_si256(__m256i* to, __m256i a) { *to = a; }
    static __m256i _mm256_set1_epi8(char a) { __m256i to = {{a}}; return to; }
    static __m256i _mm256_cmpeq_epi8(__m256i a, __m256i b) { return a; }
    static __m256i _mm256_min_epu8(__m256i a, __m256i b) { return a; }
    static __m256i _mm256_or_si256(__m256i a, __m256i b) { return a; }
    static __m256i load_halves(const void* low, const void* high) { return *(const __m256i*)low; }
    static __m256i _mm256_and_si256(__m256i a, __m256i b) { return a; }
    static __m256i _mm256_shuffle_epi8(__m256i a, __m256i b) { return a; }
    static __m256i _mm256_add_epi8(__m256i a, __m256i b) { return a; }
    static __m256i _mm256_subs_epu8(__m256i a, __m256i b) { return a; }
    static __m256i _mm256_cmpgt_epi8(__m256i a, __m256i b) { return a; }
    static __m256i _mm256_mulhi_epu16(__m256i a, __m256i b) { return a; }
    static __m256i _mm256_mullo_epi16(__m256i a, __m256i b) { return a; }
    static int _mm256_movemask_epi8(__m256i a) { return a.bytes[0]; }
    static unsigned _tzcnt_u32(unsigned a) { return a; }
    #define instructions_present() 0
    #endif
    """
    ctypedef struct __m128i:
        pass
    ctypedef struct __m256i:
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
    __m256i _mm256_loadu_si256(const __m256i* source) nogil
    void _mm256_storeu_si256(__m256i* to, __m256i a) nogil
    __m256i _mm256_set1_epi8(char a) nogil
    __m256i _mm256_cmpeq_epi8(__m256i a, __m256i b) nogil
    __m256i _mm256_min_epu8(__m256i a, __m256i b) nogil
    __m256i _mm256_or_si256(__m256i a, __m256i b) nogil
    __m256i load_halves(const void* low, const void* high) nogil
    __m256i _mm256_and_si256(__m256i a, __m256i b) nogil
    __m256i _mm256_shuffle_epi8(__m256i a, __m256i b) nogil
    __m256i _mm256_add_epi8(__m256i a, __m256i b) nogil
    __m256i _mm256_subs_epu8(__m256i a, __m256i b) nogil
    __m256i _mm256_cmpgt_epi8(__m256i a, __m256i b) nogil
    __m256i _mm256_mulhi_epu16(__m256i a, __m256i b) nogil
    __m256i _mm256_mullo_epi16(__m256i a, __m256i b) nogil
    int _mm256_movemask_epi8(__m256i a) nogil
    unsigned _tzcnt_u32(unsigned a) nogil
