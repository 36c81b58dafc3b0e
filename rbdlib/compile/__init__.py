"""From a readable algorithm and a model to fast code (RBDA 10.4)."""
