"""Read tables that other programs wrote, in JSON, Python literals, CSV, npy or npz.

`reader.read_table` reads the bytes of a file. No content is executed or unpickled, and every size
is checked before the content is unpacked.
"""
