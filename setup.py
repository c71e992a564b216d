"""What pyproject.toml can't say: the extension in C, the README for PyPI, where its links have to be absolute, and the
dependencies, since one of them has no wheels for musl.

The extension is optional: without a C compiler the package is installed without it, and pure Python does the same, but
slower.
"""

import os
import platform
import re
import sys
from pathlib import Path

from setuptools import Extension, setup

DEPENDENCIES = [
    "attrs>=23.2",
    "click>=8.1",
    "cramjam>=2.9",
    "crc32c>=2.7",
    "rich>=13.7",
    "scramp>=1.4.17",
]

# No environment marker tells glibc from musl (Alpine Linux), where google-re2 takes a C++ toolchain, Abseil and RE2. So
# wheels for musl, and what is built from source there, do without it: only the broker checks patterns then.
if sys.platform != "linux" or platform.libc_ver()[0] == "glibc":
    DEPENDENCIES.append("google-re2>=1.1")


def readme() -> str:
    """Return the README with links to the repository instead of to files beside it, which PyPI does not have."""
    source = re.search(r'^Source = "(.+)"$', Path("pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)[1]

    def absolute(link: re.Match) -> str:
        kind = "raw" if link[1].endswith(".svg") else "blob"
        return f"]({source}/{kind}/main/{link[1]})"

    return re.sub(r"\]\((?![a-z]+:|#)([^)\s]+)\)", absolute, Path("README.md").read_text(encoding="utf-8"))


setup(
    long_description=readme(),
    long_description_content_type="text/markdown",
    install_requires=DEPENDENCIES,
    ext_modules=[
        Extension(
            "kafka_nextgen.compiled._accelerator",
            sources=["accelerator/module.c"],
            depends=sorted(map(str, Path("accelerator").glob("*.h"))),
            extra_compile_args=[] if os.name == "nt" else ["-O3"],  # whatever CFLAGS says: a loop without it is no use
            optional=True,
        )
    ],
)
