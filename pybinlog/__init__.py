"""pybinlog"""
