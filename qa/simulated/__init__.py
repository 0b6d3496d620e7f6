"""The module's real answers on clusters that do not exist, for the tab: see qa/tab --help."""
