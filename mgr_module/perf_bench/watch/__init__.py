"""The watch journey: collect → detect → ledger → publisher, tick after tick."""
