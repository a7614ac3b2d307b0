"""What `import scopebench` offers, one module per subject; the command line is a layer over it.

The functions put the parts together: they take paths, names and plain values, and return objects
that lie in a folder or show themselves. Nothing here computes.
"""
