/* The public function. c_source.py gives its name and, of the arrays x, m and y of one block of states, the sizes X, M
   and Y; the constants among the results; the calls for a block, each of which is made for TOGETHER blocks in turn. */
int NAME(size_t n, const double *const in[], const size_t step[], double *const out[])
{
#if ON_STACK
    vec x[TOGETHER * X + 1], m[TOGETHER * M + 1], y[TOGETHER * Y + 1];
#else
    void *const memory = malloc((TOGETHER * (X + M + Y) + 1) * sizeof(vec));
    if (!memory)
        return -1;
    vec *const x = (vec *)(((size_t)memory + sizeof(vec) - 1) / sizeof(vec) * sizeof(vec));
    vec *const m = x + TOGETHER * X, *const y = m + TOGETHER * M;
#endif
    const size_t blocks = n / W + (n % W != 0);
    const int lanes = n < W ? (int)n : W;
    vec nothing = ALL(0.0);
CONSTANTS
    for (size_t first = 0; first < blocks; first += TOGETHER) {
        const int k = blocks - first < TOGETHER ? (int)(blocks - first) : TOGETHER;
CALLS
    }
#if !ON_STACK
    free(memory);
#endif
    return all_finite(nothing);
}
