"""Reports: pages and pictures of what logs contain. Vega-Lite specifications in `charts/` are their pictures."""
