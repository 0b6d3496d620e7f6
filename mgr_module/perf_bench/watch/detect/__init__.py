"""Which parts are slow or laggy: pure decisions on what was collected."""
