"""Makes a wheel of every Python library that Debian's packages have installed, so that pip can install them elsewhere."""

import base64
import csv
import hashlib
import importlib.metadata
import io
import pathlib
import re
import subprocess
import sys
import sysconfig
import zipfile

INSTALLED = pathlib.Path("/usr/lib/python3/dist-packages")
METADATA_SUFFIXES = {".egg-info", ".dist-info"}

# Packages that hold a part of a library which is here as a wheel already.
PARTS = {"python3-pkg-resources": "setuptools", "python3-setuptools": "setuptools"}

# Names under which people install the same library where it need not be compiled.
OTHER_NAMES = {"psycopg2": ["psycopg2-binary"]}


def main(target):
    target.mkdir()
    dists = {package_of(path): importlib.metadata.PathDistribution(path) for path in INSTALLED.iterdir() if is_metadata(path)}
    names = {package: dist.metadata["Name"] for package, dist in dists.items()} | PARTS
    for package, dist in dists.items():
        for name in [names[package], *OTHER_NAMES.get(names[package], [])]:
            print(make_wheel(name, package, dist, names, target).name)


def make_wheel(dist_name, package, dist, names, target):
    files = files_of(package)
    name = re.sub(r"[-.]+", "_", dist_name)
    is_compiled = any(file.suffix == ".so" for file in files)
    tag = compiled_tag() if is_compiled else "py3-none-any"
    info = f"{name}-{dist.version}.dist-info"
    members = {str(file.relative_to(INSTALLED)): file.read_bytes() for file in files}
    members[f"{info}/METADATA"] = metadata_of(dist_name, package, dist, names).encode()
    members[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nRoot-Is-Purelib: {not is_compiled}\nTag: {tag}\n".encode()
    if entry_points := dist.read_text("entry_points.txt"):
        members[f"{info}/entry_points.txt"] = entry_points.encode()
    path = target / f"{name}-{dist.version}-{tag}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for member, content in members.items():
            wheel.writestr(member, content)
        wheel.writestr(f"{info}/RECORD", record_of(members, info))
    return path


def is_metadata(path):
    return path.suffix in METADATA_SUFFIXES


def package_of(path):
    return run("dpkg", "-S", path).split(": ")[0].split(":")[0]


def files_of(package):
    """What dpkg says belongs to the package; Debian leaves out the list that pip would have."""
    files = [pathlib.Path(line) for line in run("dpkg", "-L", package).splitlines() if line.startswith(f"{INSTALLED}/")]
    return [file for file in files if file.is_file() and not any(map(is_metadata, [file, *file.parents]))]


def metadata_of(name, package, dist, names):
    lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {dist.version}"]
    lines += [f"Requires-Dist: {requirement}" for requirement in [*depends(package, names), *optional(dist)]]
    lines += [f"Provides-Extra: {extra}" for extra in dist.metadata.get_all("Provides-Extra") or []]
    return "\n".join(lines) + "\n"


def depends(package, names):
    """What a library always needs, Debian keeps in its package's dependencies and removes from the metadata."""
    listed = run("dpkg-query", "--show", "--showformat", "${Depends}", package)
    packages = [re.split(r"[ :]", part)[0] for part in re.split(r", *", listed)]
    return sorted({names[one] for one in packages if one in names})


def optional(dist):
    """Extras, without bounds: Debian ships these versions together, whatever their authors allowed."""
    for requirement in dist.requires or []:
        name, extras, marker = re.match(r"([\w.-]+)\s*(\[[^\]]*\])?[^;]*(;.*)?$", requirement).groups()
        if marker is not None and "extra" in marker:
            yield f"{name}{extras or ''} {marker}"


def record_of(members, info):
    rows = io.StringIO()
    writer = csv.writer(rows, lineterminator="\n")
    for member, content in members.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        writer.writerow([member, f"sha256={digest}", len(content)])
    writer.writerow([f"{info}/RECORD", "", ""])
    return rows.getvalue()


def compiled_tag():
    version = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{version}-{version}-{sysconfig.get_platform().replace('-', '_')}"


def run(*command):
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout


main(pathlib.Path(sys.argv[1]))
