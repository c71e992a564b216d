"""The one part of the package that is compiled; all else is in pyproject.toml.

Optional: without a C compiler the package is installed without it, and its twin in Python does the same, slower.
"""

import os
from pathlib import Path

from setuptools import Extension, setup

setup(
    ext_modules=[
        Extension(
            "kafka_nextgen.compiled._accelerator",
            sources=["accelerator/module.c"],
            depends=sorted(map(str, Path("accelerator").glob("*.h"))),
            extra_compile_args=[] if os.name == "nt" else ["-O3"],  # whatever CFLAGS says: a loop without it is no use
            optional=True,
        )
    ]
)
