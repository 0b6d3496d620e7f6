"""The watch journey, at every tick: collect → detect → ledger → health."""
