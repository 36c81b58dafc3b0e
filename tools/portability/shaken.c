/* A processor that exists nowhere: the same mathematics, other last digits.

   Preloaded into Python (LD_PRELOAD), this stands between NumPy or SciPy and their BLAS, LAPACK and C library, and does
   what those of another computer might do just as well, by the seed in RBDLIB_SHAKEN:

   - products of matrices and vectors add their terms in another order, with or without fused multiplication;
   - linear equations, singular values and eigenvalues are solved with rows and columns in another order;
   - singular vectors and eigenvectors come with other signs, turned within a space that belongs to one value;
   - sines, cosines and their like differ by one unit in the last place where they are not exact.

   What is exact stays exact. A result that depends on one of these choices is wrong on some computer, and shows it here. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed(void) {
    static uint64_t value;
    if (!value) {
        const char *text = getenv("RBDLIB_SHAKEN");
        value = 2 * (text ? strtoull(text, NULL, 10) : 0) + 1;
    }
    return value;
}

static uint64_t mixed(uint64_t x) {                       /* splitmix64 */
    x += 0x9e3779b97f4a7c15u * seed();
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* 0..n-1 in an order that depends on n, a tag and the seed alone, so that each run of the program does the same. */
static int64_t *shuffled(int64_t n, uint64_t tag) {
    int64_t *order = malloc((size_t)(n > 0 ? n : 1) * sizeof *order);
    for (int64_t i = 0; i < n; i++) order[i] = i;
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t j = (int64_t)(mixed(tag * 1000003u + (uint64_t)i) % (uint64_t)(i + 1)), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
    return order;
}

/* Products: sums in another order. */

static double dot(int64_t n, const int64_t *order, const double *x, int64_t dx, const double *y, int64_t dy) {
    int fused = mixed(7) & 1;
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        double a = x[order[i] * dx], b = y[order[i] * dy];
        sum = fused ? fma(a, b, sum) : sum + a * b;
    }
    return sum;
}

double scipy_cblas_ddot64_(int64_t n, const double *x, int64_t dx, const double *y, int64_t dy) {
    int64_t *order = shuffled(n, 1);
    double sum = dot(n, order, dx < 0 ? x - (n - 1) * dx : x, dx, dy < 0 ? y - (n - 1) * dy : y, dy);
    free(order);
    return sum;
}

enum { ROWS = 101, PLAIN = 111 };

void scipy_cblas_dgemm64_(int layout, int ta, int tb, int64_t m, int64_t n, int64_t k, double alpha, const double *a,
                          int64_t la, const double *b, int64_t lb, double beta, double *c, int64_t lc) {
    int64_t *order = shuffled(k, 2);
    int64_t rows = layout == ROWS;
    int64_t a_i = (ta == PLAIN) == rows ? la : 1, a_k = (ta == PLAIN) == rows ? 1 : la;
    int64_t b_j = (tb == PLAIN) == rows ? 1 : lb, b_k = (tb == PLAIN) == rows ? lb : 1;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            double *entry = c + (rows ? i * lc + j : i + j * lc);
            double sum = alpha * dot(k, order, a + i * a_i, a_k, b + j * b_j, b_k);
            *entry = beta == 0 ? sum : sum + beta * *entry;
        }
    free(order);
}

void scipy_cblas_dgemv64_(int layout, int ta, int64_t m, int64_t n, double alpha, const double *a, int64_t la,
                          const double *x, int64_t dx, double beta, double *y, int64_t dy) {
    int plain = ta == PLAIN, along = plain == (layout == ROWS);
    int64_t out = plain ? m : n, in = plain ? n : m;
    int64_t *order = shuffled(in, 3);
    if (dx < 0) x -= (in - 1) * dx;
    if (dy < 0) y -= (out - 1) * dy;
    for (int64_t i = 0; i < out; i++) {
        double sum = alpha * dot(in, order, a + i * (along ? la : 1), along ? 1 : la, x, dx);
        y[i * dy] = beta == 0 ? sum : sum + beta * y[i * dy];
    }
    free(order);
}

/* NumPy asks for A @ A.T in this way, and fills in the other triangle by itself. */
void scipy_cblas_dsyrk64_(int layout, int part, int trans, int64_t n, int64_t k, double alpha, const double *a,
                          int64_t la, double beta, double *c, int64_t lc) {
    int64_t *order = shuffled(k, 4);
    int rows = layout == ROWS, along = (trans == PLAIN) == rows, upper = part == 121;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = upper ? i : 0; j < (upper ? n : i + 1); j++) {
            double *entry = c + (rows ? i * lc + j : i + j * lc);
            double sum = alpha * dot(k, order, a + i * (along ? la : 1), along ? 1 : la,
                                     a + j * (along ? la : 1), along ? 1 : la);
            *entry = beta == 0 ? sum : sum + beta * *entry;
        }
    free(order);
}

/* Factorisations: rows and columns in another order, and what the factors leave open. */

/* The next function of this name; NumPy and SciPy keep their libraries where RTLD_NEXT does not look. */
static int found_in(struct dl_phdr_info *library, size_t size, void *wanted) {
    const char **name_and_address = wanted;
    void *handle = strstr(library->dlpi_name, "openblas") ? dlopen(library->dlpi_name, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    (void)size;
    return handle && (name_and_address[1] = dlsym(handle, name_and_address[0])) != NULL;
}

static void *next(const char *name) {
    const char *name_and_address[2] = {name, dlsym(RTLD_NEXT, name)};
    if (!name_and_address[1]) dl_iterate_phdr(found_in, name_and_address);
    if (!name_and_address[1]) abort();
    return (void *)name_and_address[1];
}

#define REAL(name) ({ static void *it; if (!it) it = next(#name); (__typeof__(&name))it; })
#define AT(x, ld, i, j) (x)[(int64_t)(i) + (int64_t)(j) * (ld)]

/* The m x n matrix a with its rows and columns in the orders p and q (either may be NULL), packed. */
static double *reordered(int64_t m, int64_t n, const double *a, int64_t la, const int64_t *p, const int64_t *q) {
    double *b = malloc((size_t)(m * n > 0 ? m * n : 1) * sizeof *b);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) AT(b, m, i, j) = AT(a, la, p ? p[i] : i, q ? q[j] : j);
    return b;
}

/* Turns vectors i and i + 1 into two others of the same plane: the space of an eigenvalue has no basis of its own. */
static void turned(double *x, int64_t n, int64_t step, int64_t next, double angle) {
    double c = cos(angle), s = sin(angle);
    for (int64_t k = 0; k < n; k++, x += step) {
        double a = x[0], b = x[next];
        x[0] = c * a + s * b;
        x[next] = c * b - s * a;
    }
}

static void negated(double *x, int64_t n, int64_t step) { for (; n > 0; n--, x += step) *x = -*x; }

static int same(double a, double b, double largest) { return fabs(a - b) <= 1e-14 * largest; }
static int sign(uint64_t tag, int64_t i) { return (int)(mixed(tag * 7919u + (uint64_t)i) & 1); }
static double angle(uint64_t tag, int64_t i) { return 6.28 * (double)(mixed(tag * 104729u + (uint64_t)i) >> 11) / 9e15; }

#define FACTORISATIONS(INT, GESV, GESDD, SYEVD)                                                                        \
void GESV(const INT *n, const INT *rhs, double *a, const INT *la, INT *pivots, double *b, const INT *lb, INT *info) {  \
    int64_t *q = shuffled(*n, 5);                                                                                      \
    double *copy = reordered(*n, *n, a, *la, NULL, q);                                                                 \
    INT lc = *n > 0 ? *n : 1;                                                                                          \
    REAL(GESV)(n, rhs, copy, &lc, pivots, b, lb, info);                                                                \
    double *x = reordered(*n, *rhs, b, *lb, NULL, NULL);                                                               \
    if (*info == 0)                                                                                                    \
        for (int64_t j = 0; j < *rhs; j++)                                                                             \
            for (int64_t i = 0; i < *n; i++) AT(b, *lb, q[i], j) = AT(x, *n, i, j);                                    \
    free(q), free(copy), free(x);                                                                                      \
}                                                                                                                      \
                                                                                                                       \
void GESDD(const char *job, const INT *m, const INT *n, double *a, const INT *la, double *s, double *u,                \
           const INT *lu, double *vt, const INT *lv, double *work, const INT *lwork, INT *iwork, INT *info) {          \
    if (*lwork == -1 || *job == 'O') {                                                                                 \
        REAL(GESDD)(job, m, n, a, la, s, u, lu, vt, lv, work, lwork, iwork, info);                                     \
        return;                                                                                                        \
    }                                                                                                                  \
    int64_t *p = shuffled(*m, 6), *q = shuffled(*n, 7), least = *m < *n ? *m : *n;                                     \
    double *copy = reordered(*m, *n, a, *la, p, q);                                                                    \
    INT lc = *m > 0 ? *m : 1;                                                                                          \
    REAL(GESDD)(job, m, n, copy, &lc, s, u, lu, vt, lv, work, lwork, iwork, info);                                     \
    if (*job != 'N' && *info == 0) {                                                                                   \
        int64_t wide = *job == 'A' ? *m : least, tall = *job == 'A' ? *n : least;                                      \
        double *u_0 = reordered(*m, wide, u, *lu, NULL, NULL), *v_0 = reordered(tall, *n, vt, *lv, NULL, NULL);        \
        for (int64_t i = 0; i < *m; i++) for (int64_t j = 0; j < wide; j++) AT(u, *lu, p[i], j) = AT(u_0, *m, i, j);   \
        for (int64_t j = 0; j < *n; j++) for (int64_t i = 0; i < tall; i++) AT(vt, *lv, i, q[j]) = AT(v_0, tall, i, j);\
        for (int64_t i = 0; i < least; i++) {                                                                          \
            if (i + 1 < least && same(s[i], s[i + 1], s[0])) {                                                         \
                turned(u + i * *lu, *m, 1, *lu, angle(8, i));                                                          \
                turned(vt + i, *n, *lv, 1, angle(8, i));                                                               \
            }                                                                                                          \
            if (sign(8, i)) negated(u + i * *lu, *m, 1), negated(vt + i, *n, *lv);                                     \
        }                                                                                                              \
        for (int64_t i = least; i < wide; i++) {                                                                       \
            if (i + 1 < wide) turned(u + i * *lu, *m, 1, *lu, angle(9, i));                                            \
            if (sign(9, i)) negated(u + i * *lu, *m, 1);                                                               \
        }                                                                                                              \
        for (int64_t i = least; i < tall; i++) {                                                                       \
            if (i + 1 < tall) turned(vt + i, *n, *lv, 1, angle(10, i));                                                \
            if (sign(10, i)) negated(vt + i, *n, *lv);                                                                 \
        }                                                                                                              \
        free(u_0), free(v_0);                                                                                          \
    }                                                                                                                  \
    free(p), free(q), free(copy);                                                                                      \
}                                                                                                                      \
                                                                                                                       \
void SYEVD(const char *job, const char *part, const INT *n, double *a, const INT *la, double *w, double *work,         \
           const INT *lwork, INT *iwork, const INT *liwork, INT *info) {                                               \
    if (*lwork == -1 || *liwork == -1) {                                                                               \
        REAL(SYEVD)(job, part, n, a, la, w, work, lwork, iwork, liwork, info);                                         \
        return;                                                                                                        \
    }                                                                                                                  \
    int upper = *part == 'U' || *part == 'u';                                                                          \
    for (int64_t j = 0; j < *n; j++)                                                                                   \
        for (int64_t i = 0; i < j; i++)                                                                                \
            *(upper ? &AT(a, *la, j, i) : &AT(a, *la, i, j)) = upper ? AT(a, *la, i, j) : AT(a, *la, j, i);            \
    int64_t *p = shuffled(*n, 11);                                                                                     \
    double *copy = reordered(*n, *n, a, *la, p, p), largest = 0;                                                       \
    INT lc = *n > 0 ? *n : 1;                                                                                          \
    REAL(SYEVD)(job, part, n, copy, &lc, w, work, lwork, iwork, liwork, info);                                         \
    if (*job == 'V' || *job == 'v') {                                                                                  \
        for (int64_t i = 0; i < *n; i++) largest = fmax(largest, fabs(w[i]));                                          \
        for (int64_t j = 0; j < *n; j++) for (int64_t i = 0; i < *n; i++) AT(a, *la, p[i], j) = AT(copy, lc, i, j);    \
        for (int64_t i = 0; i < *n; i++) {                                                                             \
            if (i + 1 < *n && same(w[i], w[i + 1], largest)) turned(a + i * *la, *n, 1, *la, angle(12, i));            \
            if (sign(12, i)) negated(a + i * *la, *n, 1);                                                              \
        }                                                                                                              \
    }                                                                                                                  \
    free(p), free(copy);                                                                                               \
}

FACTORISATIONS(int64_t, scipy_dgesv_64_, scipy_dgesdd_64_, scipy_dsyevd_64_)
FACTORISATIONS(int32_t, scipy_dgesv_, scipy_dgesdd_, scipy_dsyevd_)

/* Least squares: columns in another order; what NumPy returns has one solution. */
void scipy_dgelsd_64_(const int64_t *m, const int64_t *n, const int64_t *rhs, double *a, const int64_t *la, double *b,
                      const int64_t *lb, double *s, const double *rcond, int64_t *rank, double *work,
                      const int64_t *lwork, int64_t *iwork, int64_t *info) {
    if (*lwork == -1) {
        REAL(scipy_dgelsd_64_)(m, n, rhs, a, la, b, lb, s, rcond, rank, work, lwork, iwork, info);
        return;
    }
    int64_t *q = shuffled(*n, 13), lc = *m > 0 ? *m : 1;
    double *copy = reordered(*m, *n, a, *la, NULL, q);
    REAL(scipy_dgelsd_64_)(m, n, rhs, copy, &lc, b, lb, s, rcond, rank, work, lwork, iwork, info);
    double *x = reordered(*n, *rhs, b, *lb, NULL, NULL);
    for (int64_t j = 0; j < *rhs; j++)
        for (int64_t i = 0; i < *n; i++) AT(b, *lb, q[i], j) = AT(x, *n, i, j);
    free(q), free(copy), free(x);
}

/* Functions of one number: the neighbour of what the C library gives, at every third argument or so. */

static double nudged(double x, double y) {
    if (y == 0 || !isfinite(y) || y == rint(y) || x == y) return y;
    uint64_t bits;
    double size = fabs(x);                                 /* odd functions stay odd, even ones even */
    memcpy(&bits, &size, sizeof bits);
    switch (mixed(bits) % 3) {
    case 0: return copysign(nextafter(fabs(y), INFINITY), y);
    case 1: return copysign(nextafter(fabs(y), 0), y);
    default: return y;
    }
}

#define OF_ONE(f) double f(double x) { return nudged(x, REAL(f)(x)); }
OF_ONE(sin) OF_ONE(cos) OF_ONE(tan) OF_ONE(asin) OF_ONE(acos) OF_ONE(atan) OF_ONE(sinh) OF_ONE(cosh) OF_ONE(tanh)
OF_ONE(exp) OF_ONE(log) OF_ONE(log10) OF_ONE(expm1) OF_ONE(log1p) OF_ONE(cbrt)
double atan2(double y, double x) { return nudged(y, REAL(atan2)(y, x)); }
double hypot(double x, double y) { return nudged(x, REAL(hypot)(x, y)); }
double pow(double x, double y) { return y == rint(y) || y == 0.5 ? REAL(pow)(x, y) : nudged(x, REAL(pow)(x, y)); }
