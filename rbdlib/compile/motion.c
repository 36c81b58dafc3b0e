/* Runs of a motion in time, any number of them side by side, each with steps of its own.

   What the mechanism does is asked of compiled functions as c_source.py writes them; where these have no finite answer,
   or leave a loop open, and where forces are given as functions of Python, Python is asked. Arrays hold one row per run:
   `count` rows are in use, `room` is that times the longest row. The steps follow below; step_source.py writes them. */
#include <math.h>
#include <stddef.h>
#include <string.h>

/* Loops over entries may be computed several at a time: what they read and what they write lies apart. */
#if defined(__clang__)
#define APART _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#pragma GCC optimize("O3")
#define APART _Pragma("GCC ivdep")
#else
#define APART
#endif

typedef int (*Kernel)(size_t n, const double *const in[], const size_t step[], double *const out[]);
typedef int (*Question)(size_t row, size_t number);

typedef struct {
    size_t count, room, nq, nv, n, one;     /* runs, numbers in an array; q, qd, and both together; 1 */
    size_t clock, given, imposing;          /* which argument of the kernel is the time; how many it has; whether Python
                                               says what q and qd are */
    const double **in;                      /* arguments of the kernel, the first two of which are q and qd, */
    const size_t *step;                     /* how far it is from one run's to the next one's, */
    Kernel kernel, mover, mender;           /* rate or acceleration; q moved along u; Euler parameters put right */
    const Kernel *others;                   /* more kernels, with other pivots */
    size_t more;
    Kernel corrector;                       /* a correction of open loops: q, qd and by how much they are open; */
    const size_t *corrected;                /* which arguments of the kernel it takes, */
    size_t correcting, closing, open;       /* and how many; whether loops are closed; how many numbers say how open */
    const double *units;                    /* these are, in these units, of each run */
    Question drive, rescue;                 /* of Python: forces, what compiled functions have no answer to */
    double *stage, *now, *answer, *gaps;
                                            /* what the questions are about, and the answer */
    double *when, *work, *y, *k, *y_new, *rates, *errors, *between;
    double *t, *h;                          /* time and length of the next step of each run */
    size_t *run, *sample, *taken;           /* which run is in a row, its next sample, how many steps it took */
    const double *times;                    /* of the samples */
    size_t samples, every, dense;           /* how many; or every step is one; coefficients are wanted of every step */
    double *kept, *kept_t;                  /* every step goes into rows of a list, */
    size_t *kept_run, filled, capacity;
    size_t *state;                          /* what became of each run: see below */
    double absolute, relative;              /* tolerances */
} Run;

enum { RUNNING, FINISHED, TOO_SMALL, STOPPED };         /* what becomes of a run */
enum { DONE, MORE, INTERRUPTED = -1, NO_MEMORY = -2 };  /* what a call returns */
enum { RATE, ACCELERATION, MOVE, CLOSED };              /* what Python is asked for */
enum { MOST = 40 };                                     /* arrays */
enum { FEW = 6 };                                       /* corrections close the loops, or Python does */
static const double CLOSE_ENOUGH = 1e-12;               /* as of project in projection.py */

static int all_finite(const double *x, size_t n)
{
    double nothing = 0;
    for (size_t k = 0; k < n; k++)
        nothing += x[k] * 0.0;
    return nothing == 0;
}

/* The results of a function that takes some arguments of the kernel. */
static int applied(const Run *r, Kernel function, const size_t *which, size_t many, const double *const in[],
                   const size_t step[], double *const out[])
{
    const double *its[MOST];
    size_t steps[MOST];
    for (size_t k = 0; k < many; k++)
        its[k] = in[which[k]], steps[k] = step[which[k]];
    return function(r->count, its, steps, out);
}

/* Python's answer for a row, in r->answer. */
static int asked_python(Run *r, size_t b, int what, const double *t, const double *q, const double *qd)
{
    memcpy(r->stage + b * r->n, q, r->nq * sizeof(double));
    memcpy(r->stage + b * r->n + r->nq, qd, r->nv * sizeof(double));
    if (t)
        r->now[b] = t[b];
    return r->rescue(b, what);
}

/* The kernel's answer for q and qd, which lie `stride` apart, `wide` numbers of each run. */
static int asked(Run *r, int what, const double *t, const double *q, const double *qd, size_t q_stride,
                 size_t qd_stride, double *result, size_t wide)
{
    const Kernel kernel = what == MOVE ? r->mover : r->kernel;
    size_t steps[MOST];
    const double *in[MOST];
    int clean = 0;

    if (what != MOVE && r->drive)
        for (size_t b = 0; b < r->count; b++) {
            memcpy(r->stage + b * r->n, q + b * q_stride, r->nq * sizeof(double));
            memcpy(r->stage + b * r->n + r->nq, qd + b * qd_stride, r->nv * sizeof(double));
            r->now[b] = t[b];
            if (r->drive(b, what))
                return INTERRUPTED;
        }
    if (what != MOVE && r->imposing)
        q = r->stage, qd = r->stage + r->nq, q_stride = qd_stride = r->n;
    const size_t given = what == MOVE ? 2 : r->given;
    for (size_t k = 2; k < given; k++)
        in[k] = r->in[k], steps[k] = r->step[k];
    in[0] = q, in[1] = qd, steps[0] = q_stride, steps[1] = qd_stride;
    if (what != MOVE && r->clock < given)
        in[r->clock] = t;
    if (kernel) {
        double *const out[] = {result};
        clean = kernel(r->count, in, steps, out);
        if (clean < 0)
            return NO_MEMORY;
    }
    for (size_t b = 0; !clean && b < r->count; b++) {
        int answered = kernel && all_finite(result + b * wide, wide);
        for (size_t j = 0; what != MOVE && !answered && j < r->more; j++) {
            const double *its[MOST];
            double *const out[] = {result + b * wide};
            for (size_t k = 0; k < given; k++)
                its[k] = in[k] + b * steps[k];
            answered = r->others[j](1, its, steps, out) > 0;
        }
        if (answered || !r->rescue)
            continue;
        if (asked_python(r, b, what, t, q + b * q_stride, qd + b * qd_stride))
            return INTERRUPTED;
        memcpy(result + b * wide, r->answer + b * r->n, wide * sizeof(double));
    }
    return 0;
}

static int rate(Run *r, const double *t, const double *y, double *k)
{
    return asked(r, RATE, t, y, y + r->nq, r->n, r->n, k, r->n);
}

static int acceleration(Run *r, const double *t, const double *q, const double *qd, double *qdd)
{
    return asked(r, ACCELERATION, t, q, qd, r->nq, r->nv, qdd, r->nv);
}

/* q moved along u for unit time; without a mover q is the integral of qd. */
static int move(Run *r, const double *q, const double *u, double *to)
{
    if (r->mover)
        return asked(r, MOVE, 0, q, u, r->nq, r->nv, to, r->nq);
    for (size_t e = 0; e < r->count * r->nq; e++)
        to[e] = q[e] + u[e];
    return 0;
}

/* The velocity at x that has the momentum of u at q: the mover of variational steps. */
static int carry(Run *r, const double *q, const double *u, const double *x, double *to)
{
    const double *in[] = {q, u, x};
    const size_t steps[] = {r->nq, r->nv, r->nq};
    double *const out[] = {to};
    return r->mover(r->count, in, steps, out) < 0 ? NO_MEMORY : 0;
}

/* The loops of the states q and qd closed at the times r->t, as by project in projection.py; in all rows, or in those
   for which only[b] is not 0. Rows that a few corrections leave open are answered for by Python. */
static int closed(Run *r, const double *only, double *q, double *qd, size_t q_stride, size_t qd_stride)
{
    double *at = r->work, *next = at + r->room, *slower = next + r->room, *before = slower + r->room;
    double *left = before + r->room, *const out[] = {next, slower, r->gaps};
    const double *in[MOST] = {at, qd};
    size_t step[MOST] = {r->nq, qd_stride}, many = 0;

    for (size_t b = 0; b < r->count; b++) {
        memcpy(at + b * r->nq, q + b * q_stride, r->nq * sizeof(double));
        before[b] = INFINITY, left[b] = !only || only[b] != 0;
        many += left[b] != 0;
    }
    for (size_t k = 2; k < r->given; k++)
        in[k] = k == r->clock ? r->t : r->in[k], step[k] = r->step[k];
    for (int round = 0; r->corrector && many && round < FEW; round++) {
        if (applied(r, r->corrector, r->corrected, r->correcting, in, step, out) < 0)
            return NO_MEMORY;
        for (size_t b = 0; b < r->count; b++) {
            const double *delta = r->gaps + b * r->open, *unit = r->units + r->run[b] * r->open;
            double gap = 0, relative = 0;
            for (size_t e = 0; e < r->open; e++)
                gap = fmax(gap, fabs(delta[e])), relative = fmax(relative, fabs(delta[e] / unit[e]));
            if (!all_finite(delta, r->open) || !all_finite(slower + b * r->nv, r->nv))
                gap = relative = INFINITY;
            if (left[b] && relative <= CLOSE_ENOUGH && (gap <= CLOSE_ENOUGH || gap >= before[b] / 2)) {
                memcpy(q + b * q_stride, at + b * r->nq, r->nq * sizeof(double));
                memcpy(qd + b * qd_stride, slower + b * r->nv, r->nv * sizeof(double));
                left[b] = 0, many--;
            } else if (gap < before[b]) {               /* otherwise the row stays as it is, for Python */
                memcpy(at + b * r->nq, next + b * r->nq, r->nq * sizeof(double));
                before[b] = gap;
            }
        }
    }
    for (size_t b = 0; many && b < r->count; b++) {
        if (left[b] == 0)
            continue;
        if (asked_python(r, b, CLOSED, r->t, q + b * q_stride, qd + b * qd_stride))
            return INTERRUPTED;
        memcpy(q + b * q_stride, r->answer + b * r->n, r->nq * sizeof(double));
        memcpy(qd + b * qd_stride, r->answer + b * r->n + r->nq, r->nv * sizeof(double));
    }
    return 0;
}

/* What follows in the text. */
typedef struct {
    int (*step)(Run *, const double *t, const double *dt, const double *const in[], double *const out[]);
    int (*interpolation)(Run *, const double *t, const double *dt, const double *const in[], double *const out[]);
    int (*state)(Run *, const double *dt, const double *x, const double *const in[], double *const out[]);
    int (*norm)(Run *, const double *const in[], double *const out[]);
    size_t stages, estimates, coefficients;
    double exponent;
} Method;
typedef int (*FixedStep)(Run *, const double *t, const double *dt, const double *const in[], double *const out[]);
static Method pair(int number);
static FixedStep fixed_step(int number);

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT
#endif
static void keep(Run *r, size_t b, double t, const double *y)
{
    const size_t n = r->n;
    if (r->every) {
        memcpy(r->kept + r->filled * n, y, n * sizeof(double));
        r->kept_t[r->filled] = t;
        r->kept_run[r->filled++] = r->run[b];
    } else {
        memcpy(r->kept + (r->run[b] * r->samples + r->sample[b]) * n, y, n * sizeof(double));
        r->sample[b]++;
    }
}

/* The last run in use takes the row of one that is over. */
static void leave(Run *r, size_t b, size_t why)
{
    const size_t last = --r->count, n = r->n;
    r->state[r->run[b]] = why;
    if (b == last)
        return;
    memcpy(r->y + b * n, r->y + last * n, n * sizeof(double));
    memcpy(r->k + b * n, r->k + last * n, n * sizeof(double));
    r->t[b] = r->t[last], r->h[b] = r->h[last];
    r->run[b] = r->run[last], r->sample[b] = r->sample[last], r->taken[b] = r->taken[last];
    for (size_t k = 2; k < r->given; k++)
        if (k != r->clock && r->step[k])
            memcpy((double *)r->in[k] + b * r->step[k], r->in[k] + last * r->step[k], r->step[k] * sizeof(double));
}

/* Euler parameters of unit length, and the rates of change of q that belong to the states. */
static int mend(Run *r)
{
    const size_t n = r->n;
    const double *state[] = {r->y, r->y + r->nq};
    const size_t steps[] = {n, n};
    double *mended[] = {r->work, r->work + r->room};
    if (r->mender && r->mender(r->count, state, steps, mended) < 0)
        return NO_MEMORY;
    for (size_t b = 0; b < r->count; b++) {
        if (r->mender)
            memcpy(r->y + b * n, mended[0] + b * r->nq, r->nq * sizeof(double));
        memcpy(r->k + b * n, r->mender ? mended[1] + b * r->nq : r->y + b * n + r->nq, r->nq * sizeof(double));
    }
    return 0;
}

/* As many states as are in use, in r->y, with closed loops. */
EXPORT int close_loops(Run *r)
{
    return closed(r, 0, r->y, r->y + r->nq, r->n, r->n);
}

EXPORT int evaluate(Run *r, const double *t, const double *y, double *k)
{
    return rate(r, t, y, k);
}

/* The rates at the start, and the lengths of the first steps as SciPy's methods choose them (Hairer, Nørsett and
   Wanner, II.4). */
EXPORT int begin(Run *r, int method, double end)
{
    const size_t n = r->n;
    double *now = r->when, *h0 = now + r->room, *d1 = h0 + r->room;
    int stop = rate(r, r->t, r->y, r->k);
    for (size_t b = 0; !stop && b < r->count; b++) {
        double state = 0, change = 0;
        for (size_t e = b * n; e < (b + 1) * n; e++) {
            const double unit = r->absolute + r->relative * fabs(r->y[e]);
            state += r->y[e] / unit * (r->y[e] / unit), change += r->k[e] / unit * (r->k[e] / unit);
        }
        const double d0 = sqrt(state / (double)n), span = end - r->t[b];
        d1[b] = sqrt(change / (double)n);
        h0[b] = d0 < 1e-5 || d1[b] < 1e-5 ? 1e-6 : 0.01 * d0 / d1[b];
        h0[b] = h0[b] > span ? span : h0[b];
        now[b] = r->t[b] + h0[b];
        for (size_t e = b * n; e < (b + 1) * n; e++)
            r->y_new[e] = r->y[e] + h0[b] * r->k[e];
    }
    stop = stop ? stop : rate(r, now, r->y_new, r->rates);
    for (size_t b = 0; !stop && b < r->count; b++) {
        double bend = 0;
        for (size_t e = b * n; e < (b + 1) * n; e++) {
            const double part = (r->rates[e] - r->k[e]) / (r->absolute + r->relative * fabs(r->y[e]));
            bend += part * part;
        }
        const double d2 = sqrt(bend / (double)n) / h0[b], largest = d1[b] > d2 ? d1[b] : d2;    /* NaN if d2 is */
        const double h1 = largest <= 1e-15 ? fmax(1e-6, 1e-3 * h0[b]) : pow(0.01 / largest, -pair(method).exponent);
        r->h[b] = fmin(fmin(100 * h0[b], h1), end - r->t[b]);
    }
    return stop;
}

/* At most `rounds` attempts at a step of every run; the length of a step is chosen as in SciPy's methods. */
EXPORT int advance(Run *r, int method, double end, size_t rounds)
{
    const Method m = pair(method);
    const size_t n = r->n;
    int stop;
    for (; r->count && rounds > 0; rounds--) {
        if (r->every && r->filled + r->count > r->capacity)
            return MORE;
        double *dt = r->when + r->room, *before = dt + r->room;
        for (size_t b = 0; b < r->count; b++) {
            const double least = 10 * (nextafter(r->t[b], INFINITY) - r->t[b]);
            if (!(r->h[b] >= least)) {
                if (r->taken[b] % 2 || r->h[b] != r->h[b])                            /* it was shortened to this */
                    return leave(r, b, TOO_SMALL), MORE;
                r->h[b] = least;
            }
            dt[b] = (r->t[b] + r->h[b] > end ? end : r->t[b] + r->h[b]) - r->t[b];
            before[b] = r->t[b];
        }
        const double *in[MOST] = {r->y, r->k};
        double *out[MOST] = {r->y_new};
        for (size_t j = 0; j < m.estimates; j++)
            out[1 + j] = r->errors + j * r->room;
        for (size_t j = 0; j + 1 < m.stages; j++)
            out[1 + m.estimates + j] = r->rates + j * r->room;
        if ((stop = m.step(r, r->t, dt, in, out)) != 0)
            return stop;
        const double *last = r->rates + (m.stages - 2) * r->room;

        double *accepted = before + r->room, *error = accepted + r->room, *size = error + r->room;
        const double *sums[] = {size, size + r->room, size + 2 * r->room};
        for (size_t b = 0; b < r->count; b++) {
            double s[2] = {0};
            for (size_t e = b * n; e < (b + 1) * n; e++) {
                const double largest = fmax(fabs(r->y[e]), fabs(r->y_new[e]));
                const double unit = r->absolute + r->relative * (r->y_new[e] == r->y_new[e] ? largest : NAN);
                for (size_t j = 0; j < m.estimates; j++) {
                    const double part = r->errors[j * r->room + e] / unit;
                    s[j] += part * part;
                }
            }
            size[b] = (double)n, size[b + r->room] = s[0], size[b + 2 * r->room] = s[1];
        }
        if ((stop = m.norm(r, sums, &error)) != 0)
            return stop;

        int sampled = 0;
        for (size_t b = 0; b < r->count; b++) {
            if (sums[1][b] == 0)
                error[b] = 0;
            accepted[b] = error[b] < 1;
            if (accepted[b]) {
                const double factor = error[b] == 0 ? 10 : fmin(10, 0.9 * pow(error[b], m.exponent));
                r->h[b] = dt[b] * (r->taken[b] % 2 && factor > 1 ? 1 : factor);
                const double now = dt[b] == end - before[b] ? end : before[b] + dt[b];
                sampled |= !r->every && r->sample[b] < r->samples && r->times[r->sample[b]] <= now;
            } else {
                const double factor = 0.9 * pow(error[b], m.exponent);
                r->h[b] = dt[b] * (factor > 0.2 ? factor : 0.2);      /* NaN: 0.2 */
                r->taken[b] |= 1;
            }
        }
        const double *k[MOST] = {r->y, r->y_new, r->k};
        double *coefficients[MOST];
        if (sampled || (r->dense && accepted[0])) {
            for (size_t j = 0; j + 1 < m.stages; j++)
                k[3 + j] = r->rates + j * r->room;
            for (size_t j = 0; j < m.coefficients; j++)
                coefficients[j] = r->between + j * r->room;
            if ((stop = m.interpolation(r, r->t, dt, k, coefficients)) != 0)
                return stop;
        }
        for (size_t b = 0; b < r->count; b++) {
            if (!accepted[b])
                continue;
            r->t[b] = dt[b] == end - before[b] ? end : before[b] + dt[b];
            r->taken[b] = (r->taken[b] | 1) + 1;
            if (r->every)
                keep(r, b, r->t[b], r->y_new + b * n);
        }
        while (sampled) {                               /* one sample of each run that has one left */
            double *x = r->when;
            const double *parts[MOST] = {r->y};
            double *at[] = {r->answer};
            sampled = 0;
            for (size_t b = 0; b < r->count; b++) {
                const int one = accepted[b] && r->sample[b] < r->samples && r->times[r->sample[b]] <= r->t[b];
                x[b] = one ? (r->times[r->sample[b]] - before[b]) / dt[b] : 0;
                sampled |= one;
            }
            for (size_t j = 0; j < m.coefficients; j++)
                parts[1 + j] = coefficients[j];
            if (sampled && (stop = m.state(r, dt, x, parts, at)) != 0)
                return stop;
            for (size_t b = 0; b < r->count; b++)
                if (accepted[b] && r->sample[b] < r->samples && r->times[r->sample[b]] <= r->t[b])
                    keep(r, b, r->t[b], r->answer + b * n);
        }
        if (r->dense)
            memcpy(r->y + r->room, r->y, r->room * sizeof(double));
        for (size_t b = 0; b < r->count; b++)
            if (accepted[b]) {
                memcpy(r->y + b * n, r->y_new + b * n, n * sizeof(double));
                memcpy(r->k + b * n, last + b * n, n * sizeof(double));
            }
        if (r->mender && (stop = mend(r)) != 0)         /* the others' Euler parameters have unit length already */
            return stop;
        if (r->closing && ((stop = closed(r, accepted, r->y, r->y + r->nq, n, n)) != 0 || (stop = mend(r)) != 0))
            return stop;
        for (size_t b = r->count; b-- > 0;)
            if (r->t[b] >= end)
                leave(r, b, FINISHED);
    }
    return r->count ? MORE : DONE;
}

/* The answer is the state of a single run at the part x of its last step. */
EXPORT int within(Run *r, int method, double x)
{
    const Method m = pair(method);
    const double *parts[MOST] = {r->y + r->room};
    double *at[] = {r->answer};
    for (size_t j = 0; j < m.coefficients; j++)
        parts[1 + j] = r->between + j * r->room;
    r->when[0] = x;
    return m.state(r, r->when + r->room, r->when, parts, at);
}

/* `steps` steps of length h of every run, from `start`; y holds q of all runs and then qd of all runs. */
EXPORT int march(Run *r, int method, double start, double h, size_t steps, size_t *done)
{
    double *t = r->when + r->room, *dt = t + r->room;
    for (; *done < steps; ++*done) {
        const double *in[] = {r->y, r->y + r->room};
        double *out[] = {r->y_new, r->y_new + r->room};
        for (size_t b = 0; b < r->count; b++)
            t[b] = start + (double)*done * h, dt[b] = h;
        int stop = fixed_step(method)(r, t, dt, in, out);
        if (stop != 0)
            return stop;
        memcpy(r->y, out[0], r->count * r->nq * sizeof(double));
        memcpy(r->y + r->room, out[1], r->count * r->nv * sizeof(double));
        for (size_t b = 0; b < r->count; b++)
            r->t[b] = start + (double)(*done + 1) * h;
        if (r->closing && (stop = closed(r, 0, r->y, r->y + r->room, r->nq, r->nv)) != 0)
            return stop;
        for (size_t b = 0; r->every && b < r->count; b++) {
            memcpy(r->kept + r->filled * r->n, r->y + b * r->nq, r->nq * sizeof(double));
            memcpy(r->kept + r->filled * r->n + r->nq, r->y + r->room + b * r->nv, r->nv * sizeof(double));
            r->kept_t[r->filled] = r->t[b];
            r->kept_run[r->filled++] = r->run[b];
        }
        if (r->every && r->filled + r->count > r->capacity && *done + 1 < steps)
            return ++*done, MORE;
    }
    return DONE;
}
