"""bench, stage 2: how a round is carried out."""
