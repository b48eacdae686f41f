"""How callers write what the contract calls otherwise: data, and where each word may stand."""
