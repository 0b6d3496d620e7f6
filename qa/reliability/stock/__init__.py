"""What is not ours, with the module off and on in turn: the part `stock`."""
