"""Scalars of every kind, and the checks of arguments."""

import time

#: The time of the first import of rbdlib (seconds since 1970): files edited later are not what runs (`compile.cache`).
IMPORTED = time.time()
