"""The pages of docs/ that are made from the code, and the build of all of them."""
