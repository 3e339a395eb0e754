"""The layers of WL#2687: deciding the format, caching, flushing."""
