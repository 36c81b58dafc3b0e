"""Open chains and task space (MRN)."""
