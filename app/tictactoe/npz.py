"""Read npz files that may be malicious, and never unpack more bytes than expected.

An npz file is a zip file with an npy file for each array. An npy file is a short header, then the
numbers. A malicious file can claim any size, and it can unpack to a thousand times its own size.
The arrays of a model have known sizes, which are the limit. In other files the header of an array
is read first, and its numbers only if its shape is an expected one.
"""

import io
import zipfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from math import prod
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from app.tictactoe.game import FloatArray

# The dtype and the shape of each array, by name. A -1 in a shape stands for 1 to MAX_SNAPSHOTS.
ArrayLayout = dict[str, tuple[str, tuple[int, ...]]]
MAX_SNAPSHOTS = 24
# numpy's default level takes three times as long and makes files only a tenth smaller.
COMPRESSION_LEVEL = 3
# An array that another program wrote may have a header of this many bytes.
MAX_FOREIGN_HEADER_BYTES = 1 << 14
# The header of a model's array, with its entry in the zip file, has at most this many bytes.
MAX_HEADER_BYTES = 1 << 10
# A file that another program wrote may have this many arrays.
MAX_FOREIGN_ARRAYS = 64
# Every entry in a zip file's directory begins with these bytes.
MEMBER_SIGNATURE = b"PK\x01\x02"
# numpy's letters for the dtypes of numbers: bool, int, unsigned int, float.
NUMBER_KINDS = "biuf"


def compute_size_limit(layout: ArrayLayout) -> int:
    return sum(
        _compute_array_limit(*shape) + MAX_HEADER_BYTES for shape in layout.values()
    )


def write_arrays(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return an npz file as bytes; equal arrays give equal bytes."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, array in arrays.items():
            member = io.BytesIO()
            npy.write_array(member, np.ascontiguousarray(array), version=(1, 0))
            # A ZipInfo with only a name gets a fixed date, so equal arrays give equal bytes.
            info = zipfile.ZipInfo(f"{name}.npy")
            archive.writestr(
                info, member.getvalue(), zipfile.ZIP_DEFLATED, COMPRESSION_LEVEL
            )
    return file.getvalue()


def read_arrays(npz_bytes: bytes, layout: ArrayLayout) -> dict[str, NDArray[Any]]:
    """Return the arrays of a model, read-only, from the bytes of an npz file.

    Raises ValueError, with the reason, if the file does not have exactly the arrays of `layout`.
    """
    with _open_archive(npz_bytes) as (archive, names):
        if names != sorted(f"{name}.npy" for name in layout):
            raise ValueError(f"holds {', '.join(names)} instead of {', '.join(layout)}")
        return {
            name: _read_model_array(archive, name, *layout[name]) for name in layout
        }


@contextmanager
def _open_archive(npz_bytes: bytes) -> Iterator[tuple[zipfile.ZipFile, list[str]]]:
    """Open an npz file, with the sorted names of its members; raises ValueError for any error."""
    try:
        with zipfile.ZipFile(io.BytesIO(npz_bytes)) as archive:
            yield archive, sorted(archive.namelist())
    except ValueError:
        raise
    # A forged file can make the readers raise almost any error.
    except Exception as error:
        raise ValueError(f"no readable zip file: {error}") from error


def read_array(
    npz_bytes: bytes, array_name: str, shapes: Collection[tuple[int, ...]]
) -> FloatArray:
    """Return an array of an npz file by its name; without this name, the first array.

    Raises ValueError, with the reason, if the array's shape is not one of `shapes`, or if its
    elements are not numbers of at most eight bytes.
    """
    # A forged directory may have a million entries, so they are counted before they are parsed.
    if npz_bytes.count(MEMBER_SIGNATURE) > MAX_FOREIGN_ARRAYS:
        raise ValueError(f"it holds more than {MAX_FOREIGN_ARRAYS} arrays")
    with _open_archive(npz_bytes) as (archive, names):
        if not names:
            raise ValueError("it is empty")
        wanted = f"{array_name}.npy"
        member = archive.getinfo(wanted if wanted in names else names[0])
        _check_compression(member)
        with archive.open(member) as packed:
            return _read_foreign_array(packed, member.filename, shapes)


def read_npy(npy_bytes: bytes, shapes: Collection[tuple[int, ...]]) -> FloatArray:
    """Return the array of an npy file.

    Raises ValueError, with the reason, if its shape is not one of `shapes`, or if its elements are
    not numbers of at most eight bytes.
    """
    try:
        return _read_foreign_array(io.BytesIO(npy_bytes), "it", shapes)
    except ValueError:
        raise
    except Exception as error:
        raise ValueError(f"no readable array: {error}") from error


def _read_foreign_array(
    packed: IO[bytes], array_name: str, shapes: Collection[tuple[int, ...]]
) -> FloatArray:
    head = io.BytesIO(packed.read(MAX_FOREIGN_HEADER_BYTES))
    version = npy.read_magic(head)
    readers = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
    if version not in readers:
        raise ValueError(f"{array_name} is in an unknown version of numpy's format")
    shape, fortran_order, dtype = readers[version](head)
    if dtype.kind not in NUMBER_KINDS or dtype.itemsize > 8:
        raise ValueError(f"an array in it holds {dtype}, not numbers of up to 8 bytes")
    if shape not in shapes:
        wanted = " or ".join(str(list(one)) for one in shapes)
        raise ValueError(f"the array is {list(shape)}, not {wanted}")
    size = prod(shape) * dtype.itemsize
    # The first read got some of the numbers together with the header.
    numbers = head.read(size)
    numbers += packed.read(size - len(numbers))
    if len(numbers) != size:
        raise ValueError(f"{array_name} has {len(numbers)} bytes of numbers, too few")
    array = np.frombuffer(numbers, dtype).astype(np.float64)
    return array.reshape(shape[::-1]).T if fortran_order else array.reshape(shape)


def _check_compression(member: zipfile.ZipInfo) -> None:
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError(
            f"{member.filename} is packed in a way that numpy does not use"
        )


def _read_model_array(
    archive: zipfile.ZipFile, array_name: str, dtype: str, shape: tuple[int, ...]
) -> NDArray[Any]:
    member = archive.getinfo(f"{array_name}.npy")
    if member.file_size > _compute_array_limit(dtype, shape):
        raise ValueError(
            f"{array_name} would unpack to {member.file_size} bytes, more than any right one"
        )
    _check_compression(member)
    with archive.open(member) as packed:
        # The real content may be longer than its announced size, so that size is the limit.
        stream = io.BytesIO(packed.read(member.file_size))
    if npy.read_magic(stream) != (1, 0):
        raise ValueError(f"{array_name} is not in version 1.0 of numpy's format")
    actual_shape, fortran_order, found_dtype = npy.read_array_header_1_0(stream)
    if found_dtype != np.dtype(dtype) or fortran_order:
        raise ValueError(
            f"{array_name} is {found_dtype}, not {np.dtype(dtype)} in C order"
        )
    if not _has_shape(actual_shape, shape):
        expected = str(shape).replace("-1", f"1 to {MAX_SNAPSHOTS}")
        raise ValueError(f"{array_name} has shape {actual_shape}, not {expected}")
    numbers = stream.read()
    if len(numbers) != prod(actual_shape) * found_dtype.itemsize:
        raise ValueError(
            f"{array_name} has {len(numbers)} bytes of numbers, too few or too many"
        )
    return np.frombuffer(numbers, found_dtype).reshape(actual_shape)


def _has_shape(shape: tuple[int, ...], expected_shape: tuple[int, ...]) -> bool:
    """Return whether two shapes are equal; -1 in `expected_shape` stands for 1 to MAX_SNAPSHOTS."""
    return len(shape) == len(expected_shape) and all(
        1 <= have <= MAX_SNAPSHOTS if want == -1 else have == want
        for have, want in zip(shape, expected_shape, strict=True)
    )


def _compute_array_limit(dtype: str, shape: tuple[int, ...]) -> int:
    items = abs(prod(shape))
    if -1 in shape:
        items *= MAX_SNAPSHOTS
    return MAX_HEADER_BYTES + np.dtype(dtype).itemsize * items
