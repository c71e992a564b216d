"""A small Spark session of this machine, for the examples."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys

import click

try:
    import pyarrow  # noqa: F401  (the workers need it)
    from pyspark.sql import SparkSession
except ImportError as error:
    sys.exit(f"PySpark and PyArrow are needed: pip install 'kafka-nextgen[spark]' ({error})")

from kafka_nextgen.spark import register

__all__ = ["OLDEST_JAVA", "spark_session"]

OLDEST_JAVA = 17
SETTINGS = {
    "spark.log.level": "ERROR",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


def spark_session(name: str) -> SparkSession:
    """Start a session, or join that of spark-submit; without a Java that Spark runs on, say what to install."""
    if java_version() < OLDEST_JAVA:
        raise click.ClickException(
            f"Spark needs Java {OLDEST_JAVA} or newer in JAVA_HOME or on PATH: install it first, for example the "
            f"package openjdk-{OLDEST_JAVA}-jre-headless of Debian and Ubuntu, or openjdk@{OLDEST_JAVA} of Homebrew"
        )
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")  # the name of this machine need not be known
    builder = SparkSession.builder.appName(name)
    if "PYSPARK_GATEWAY_PORT" not in os.environ:  # spark-submit, which sets it, was told where to run, and how
        builder = builder.master("local[2]")
        for key, value in SETTINGS.items():
            builder = builder.config(key, value)
    session = builder.getOrCreate()
    register(session)  # Spark finds it by itself where the library is installed, but for an editable installation
    return session


def java_version() -> int:
    """Return the version of the Java that Spark would run on, 0 if there is none."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=f"{home}/bin" if home else None)
    if java is None:
        return 0
    banner = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr
    found = re.search(r'version "(\d+)', banner)
    return int(found[1]) if found else 0
