"""Arrays out of an untrusted npz: sizes are checked before anything is read or allocated."""

import io
import zipfile
from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

Layout = dict[str, tuple[str, tuple[int, ...]]]  # name -> dtype, shape; -1 is 1 to MAX_SNAPSHOTS
MAX_SNAPSHOTS = 24
LEVEL = 3  # of packing: numpy's own takes three times as long and makes a tenth less of it
HEADER = 1 << 10  # bytes before an array's numbers, and what a zip file adds to each


def size_limit(layout: Layout) -> int:
    """Return how many bytes a file with these arrays has at most."""
    return sum(_member_limit(*shape) + HEADER for shape in layout.values())


def write_arrays(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Write arrays as an npz; the same arrays always become the same bytes."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, array in arrays.items():
            member = io.BytesIO()
            npy.write_array(member, np.ascontiguousarray(array), version=(1, 0))
            # The info has no time of day, as what numpy writes has none.
            info = zipfile.ZipInfo(f"{name}.npy")
            archive.writestr(info, member.getvalue(), zipfile.ZIP_DEFLATED, LEVEL)
    return file.getvalue()


def read_arrays(content: bytes, layout: Layout) -> dict[str, NDArray[Any]]:
    """Read exactly these arrays from the bytes of an npz; they come back read-only.

    Raises ValueError saying what is wrong with the file or with which array.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = sorted(archive.namelist())
            if names != sorted(f"{name}.npy" for name in layout):
                raise ValueError(f"holds {', '.join(names)} instead of {', '.join(layout)}")
            return {name: _read(archive, name, *layout[name]) for name in layout}
    except ValueError:
        raise
    except Exception as error:  # a forged file can make the readers raise nearly anything
        raise ValueError(f"no readable zip file: {error}") from error


def _read(archive: zipfile.ZipFile, name: str, dtype: str, shape: tuple[int, ...]) -> NDArray[Any]:
    member = archive.getinfo(f"{name}.npy")
    if member.file_size > _member_limit(dtype, shape):
        raise ValueError(
            f"{name} would unpack to {member.file_size} bytes, more than any right one"
        )
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError(f"{name} is packed in a way that numpy does not use")
    with archive.open(member) as packed:
        # Only a read with a limit unpacks no more than the size that was checked.
        stream = io.BytesIO(packed.read(member.file_size))
    if npy.read_magic(stream) != (1, 0):
        raise ValueError(f"{name} is not in version 1.0 of numpy's format")
    found_shape, fortran_order, found_dtype = npy.read_array_header_1_0(stream)
    if found_dtype != np.dtype(dtype) or fortran_order:
        raise ValueError(f"{name} is {found_dtype}, not {np.dtype(dtype)} in C order")
    if not _fits(found_shape, shape):
        expected = str(shape).replace("-1", f"1 to {MAX_SNAPSHOTS}")
        raise ValueError(f"{name} has shape {found_shape}, not {expected}")
    numbers = stream.read()
    if len(numbers) != prod(found_shape) * found_dtype.itemsize:
        raise ValueError(f"{name} has {len(numbers)} bytes of numbers, too few or too many")
    return np.frombuffer(numbers, found_dtype).reshape(found_shape)


def _fits(found: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    return len(found) == len(shape) and all(
        1 <= have <= MAX_SNAPSHOTS if want == -1 else have == want
        for have, want in zip(found, shape, strict=True)
    )


def _member_limit(dtype: str, shape: tuple[int, ...]) -> int:
    return HEADER + np.dtype(dtype).itemsize * abs(prod(shape)) * (
        MAX_SNAPSHOTS if -1 in shape else 1
    )
