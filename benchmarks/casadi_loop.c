/* Loops over many states around functions whose C code CasADi has written: NAME is the function's name, and its two
 * arguments are q and qd, or its one argument q. Compiled together with that code. */

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

long long JOIN(NAME, _work)(long long *, long long *, long long *, long long *);
int NAME(const double **arg, double **res, long long *iw, double *w, int mem);

void JOIN(NAME, _loop)(long count, const double *q, const double *qd, double *out, double *w, long long *iw) {
    for (long k = 0; k < count; ++k) {
        const double *arg[16] = {q + k * NQ, qd + k * NV};
        double *res[16] = {out + k * SIZE};
        NAME(arg, res, iw, w, 0);
    }
}
