"""The other texts: MBT (mbt), MRN (mrn) and SOA (soa); and where all five say what (lookup)."""
