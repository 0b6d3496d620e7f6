"""Creates all parts of the active module and connects them."""
