"""The course in a browser: `python -m tools.lite` makes a JupyterLite site; docs/browser.md says how it is used."""
