#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* W states are computed at a time: a vec holds one number of each, as many as fit a vector register; no more than two
   where states come one by one (ALONE), and on Windows with GCC, which aligns the stack there to 16 bytes. */
#if defined(__GNUC__) && (defined(ALONE) || (defined(_WIN32) && !defined(__clang__)))
#define W 2
#elif defined(__GNUC__) && defined(__AVX512F__)
#define W 8
#elif defined(__GNUC__) && defined(__AVX__)
#define W 4
#elif defined(__GNUC__)
#define W 2
#else
#define W 1
#endif

#if W > 1
typedef double vec __attribute__((vector_size(8 * W)));
typedef long long whole __attribute__((vector_size(8 * W)));
#define NOT_INLINED static __attribute__((noinline, unused))
#define ALL(number) ((number) - (vec){0})
#else
typedef double vec;
#define NOT_INLINED static
#define ALL(number) (number)
#endif
#if defined(__GNUC__)
#define UNUSED __attribute__((unused))
#define UNROLLED _Pragma("GCC unroll 8")
#else
#define UNUSED
#define UNROLLED
#endif

/* What a library for Windows shows. */
#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT
#endif

/* The statements come in functions. A long program's can be compiled in groups, which see only each other's names. */
#if defined(ONLY)
#define PART __attribute__((visibility("hidden")))
#else
#define PART NOT_INLINED
#endif

static UNUSED vec root(vec x)
{
    for (int l = 0; l < W; l++)
        ((double *)&x)[l] = sqrt(((double *)&x)[l]);
    return x;
}

#if W > 1
/* Farther than this from zero the library's functions take over. */
#define FAR 1e5

/* Sines and cosines of x, to 0.8 units in the last place: the turn is reduced to |r| <= pi/4 by quarters of a turn, in
   three steps (W. J. Cody and W. Waite) whose constants have 33 digits, so that their products are exact; there the
   polynomials of the freely distributable mathematical library of Sun Microsystems (1993) are used. */
static inline void turn(vec x, vec *sine, vec *cosine)
{
    const vec shifted = x * 0x1.45f306dc9c883p-1 + 0x1.8p52;            /* the quarters end in its last bits */
    const vec quarters = shifted - 0x1.8p52;
    const vec first = x - quarters * 1.57079632673412561417e+00;
    const vec second = quarters * 6.07710050630396597660e-11;
    const vec r_first = first - second;
    const vec rest = (first - r_first) - second - quarters * 2.02226624879595063154e-21;
    const vec r = r_first + rest, tail = (r_first - r) + rest;

    const vec z = r * r;
    const vec p = 8.33333333332248946124e-03 + z * (-1.98412698298579493134e-04 + z * (2.75573137070700676789e-06
                + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)));
    const vec s = r - ((z * (0.5 * tail - z * r * p) - tail) - z * r * -1.66666666666666324348e-01);
    const vec k = z * (4.16666666666666019037e-02 + z * (-1.38888888888741095749e-03 + z * (2.48015872894767294178e-05
                + z * (-2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)))));
    const vec half = 0.5 * z, near_one = 1.0 - half;
    const vec c = near_one + (((1.0 - near_one) - half) + (z * k - r * tail));

    const whole q = (whole)shifted, exchanged = -(q & 1);
    const whole sine_bits = ((whole)c & exchanged) | ((whole)s & ~exchanged);
    const whole cosine_bits = ((whole)s & exchanged) | ((whole)c & ~exchanged);
    *sine = (vec)(sine_bits ^ ((q & 2) << 62));
    *cosine = (vec)(cosine_bits ^ (((q + 1) & 2) << 62));
}
#endif

/* Sines and cosines of n numbers; the results may not overlap the numbers. Those of one state share vectors. */
NOT_INLINED void turns(const vec *x, vec *sine, vec *cosine, int n, int lanes)
{
    int far = n;
#if W > 1
    whole wrong = {0};
    for (int j = 0; lanes == 1 && j < n; j += W) {
        vec angles, s, c;
        UNROLLED
        for (int l = 0; l < W; l++)
            angles[l] = x[j + l < n ? j + l : j][0];
        turn(angles, &s, &c);
        UNROLLED
        for (int l = 0; l < W; l++)
            if (j + l < n)
                sine[j + l] = ALL(s[l]), cosine[j + l] = ALL(c[l]);
        wrong |= ~(whole)(angles * angles <= ALL(FAR * FAR));              /* NaN is wrong, too */
    }
    for (int j = 0; lanes > 1 && j < n; j++) {
        turn(x[j], sine + j, cosine + j);
        wrong |= ~(whole)(x[j] * x[j] <= ALL(FAR * FAR));
    }
    far = 0;
    for (int l = 0; l < W; l++)
        far |= wrong[l] != 0;
#endif
    for (int i = 0; far && i < n * W; i++) {
        const double angle = ((const double *)x)[i];
#if W > 1
        if (angle * angle <= FAR * FAR)
            continue;
#endif
        ((double *)sine)[i] = sin(angle);
        ((double *)cosine)[i] = cos(angle);
    }
}

#if W > 1
#if defined(__clang__) || __GNUC__ >= 12
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (whole){__VA_ARGS__})
#endif
#if W == 8
#define FIRST_HALVES 0, 8, 1, 9, 2, 10, 3, 11
#define SECOND_HALVES 4, 12, 5, 13, 6, 14, 7, 15
#define COLUMN(p, s) (vec){p[0], p[s], p[2 * s], p[3 * s], p[4 * s], p[5 * s], p[6 * s], p[7 * s]}
#elif W == 4
#define FIRST_HALVES 0, 4, 1, 5
#define SECOND_HALVES 2, 6, 3, 7
#define COLUMN(p, s) (vec){p[0], p[s], p[2 * s], p[3 * s]}
#else
#define FIRST_HALVES 0, 2
#define SECOND_HALVES 1, 3
#define COLUMN(p, s) (vec){p[0], p[s]}
#endif

/* Exchange rows and columns of W numbers of W states: log2(W) times the rows are shuffled like two halves of a pack. */
static inline void transpose(vec *a)
{
    vec b[W];
    UNROLLED
    for (int left = W; left > 1; left /= 2) {
        UNROLLED
        for (int k = 0; k < W / 2; k++) {
            b[2 * k] = SHUFFLE(a[k], a[k + W / 2], FIRST_HALVES);
            b[2 * k + 1] = SHUFFLE(a[k], a[k + W / 2], SECOND_HALVES);
        }
        memcpy(a, b, sizeof b);
    }
}
#endif

/* One argument of `lanes` states, each `step` doubles after the one before; absent states are copies of the first. */
static UNUSED void load(vec *x, const double *from, size_t size, size_t step, int lanes)
{
    size_t j = 0;
#if W > 1
    if (lanes == W && step) {
        for (; j + W <= size; j += W) {
            UNROLLED
            for (int l = 0; l < W; l++)
                memcpy(x + j + l, from + l * step + j, sizeof(vec));
            transpose(x + j);
        }
        for (; j < size; j++)
            x[j] = COLUMN((from + j), step);
    }
#endif
    for (; j < size; j++) {
        x[j] = ALL(from[j]);
        for (int l = 1; step && l < lanes; l++)
            ((double *)(x + j))[l] = from[l * step + j];
    }
}

/* A part of a result, `size` numbers of each of `lanes` states, each `step` doubles after the one before. What is not
   finite turns `nothing` into NaN. */
static UNUSED void store(const vec *y, double *to, size_t size, size_t step, int lanes, vec *nothing)
{
    vec sum = *nothing;
    size_t j = 0;
    for (size_t k = 0; k < size; k++)
        sum += y[k] * 0.0;
    *nothing = sum;
#if W > 1
    for (; lanes == W && j + W <= size; j += W) {
        vec rows[W];
        memcpy(rows, y + j, sizeof rows);
        transpose(rows);
        UNROLLED
        for (int l = 0; l < W; l++)
            memcpy(to + l * step + j, rows + l, sizeof(vec));
    }
#endif
    for (; j < size; j++)
        for (int l = 0; l < lanes; l++)
            to[l * step + j] = ((const double *)(y + j))[l];
}

/* The same for zeros. */
static UNUSED void clear(double *to, size_t size, size_t step, int lanes)
{
    const vec zeros = ALL(0.0);
    for (int l = 0; l < lanes; l++) {
        size_t j = 0;
        for (; j + W <= size; j += W)
            memcpy(to + l * step + j, &zeros, sizeof zeros);
        for (; j < size; j++)
            to[l * step + j] = 0.0;
    }
}

/* Whether no number that was stored has turned this into NaN. */
static UNUSED int all_finite(vec nothing)
{
    double sum = 0.0;
    for (int l = 0; l < W; l++)
        sum += ((const double *)&nothing)[l];
    return sum == 0.0;
}

/* Where a block of W states begins: the last one computes some states once more, to be full. */
static UNUSED size_t begin(size_t block, size_t n)
{
    return n < W ? 0 : block * W + W <= n ? block * W : n - W;
}
