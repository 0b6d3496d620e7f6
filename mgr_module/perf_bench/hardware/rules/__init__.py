"""Pure decisions on what hosts tell: facts and counters → claims."""
