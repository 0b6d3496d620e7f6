"""watch, stage 3: what is wrong, by pure decisions on what was collected."""
