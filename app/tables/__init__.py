"""Reading of tables that other programs wrote: JSON, Python literals, CSV and npz.

`reader.read_table` reads the bytes of a file. No content is executed or unpickled, and
every size is checked before the content is unpacked.
"""
