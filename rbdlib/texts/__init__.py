"""The other texts: MBT (mbt), MRN (mrn) and SOA (soa)."""
