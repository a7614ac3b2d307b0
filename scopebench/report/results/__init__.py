"""The published results: a page, the README's figures and its picture, from run folders."""
