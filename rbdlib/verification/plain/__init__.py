"""An answer compared with a plain formula, without a mechanism: the same reading, decision and reasons."""
