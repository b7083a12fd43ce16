"""Tables that other programs wrote, read into moves: JSON, Python literals, CSV and npz.

`reader.read_table` reads the bytes of a file.  Nothing in it is executed or unpickled, and its size
is checked before it is unpacked.
"""
