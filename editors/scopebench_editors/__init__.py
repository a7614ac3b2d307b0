"""The built-in editors: `base`, `rag`, `static` and `inlay`.

All four keep the same memory (`cards`) and execute the same three actions through the same code
(`actions`); they differ only in the policy that decides (`card_editor.CardEditor.decide`). Each
folder holds a light `info`, which is all that listing imports, and a heavier `editor`.
"""
