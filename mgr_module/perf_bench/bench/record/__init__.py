"""bench, stage 3: samples into the store, after every single step."""
