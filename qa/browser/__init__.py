"""The tab in the stock dashboard, tried in a real browser on real clusters; see conftest.py."""
