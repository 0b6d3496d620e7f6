"""Small changes to the code that decides, each of which the unit tests have to notice."""
