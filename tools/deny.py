#!/usr/bin/env python3
"""What may enter the dependency tree: deny.toml, checked by cargo-deny or, without it, here.

cargo-deny is used where it is: on the path, or in target/tools. Else it is built there once, unoptimised
(93 seconds of one processor), and stays until the version below changes. Advisories need the
database of RustSec, which cargo-deny fetches from GitHub; where that fails, that they were not looked
at is said, with the date.

Without cargo-deny (`tools/deny.py --own`, or where it cannot be built) this script checks what the
metadata of Cargo tells: the licence and the source of every package, and that no dependency accepts
any version.
"""

import datetime
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOLS = ROOT / "target/tools"
VERSION = "0.20.2"
# Several versions of a package are no error, and their trees are long.
QUIETLY = ["--log-level", "error", "check", "--hide-inclusion-graph"]


def run(*command: str, quiet: bool = False) -> int:
    return subprocess.run(command, cwd=ROOT, check=False, capture_output=quiet).returncode


def say(sentence: str) -> None:
    print(f"deny: {sentence}", flush=True)


def without_advisories(why: str) -> None:
    say(f"advisories were not checked: {why} ({datetime.date.today().isoformat()})")


def with_cargo_deny(program: str) -> int:
    if run(program, "fetch", quiet=True) == 0:
        return run(program, *QUIETLY)
    without_advisories("their database cannot be fetched here")
    return run(program, *QUIETLY, "bans", "licenses", "sources")


def is_allowed(expression: str, allow: set[str]) -> bool:
    """Whether a licence expression is met by allowed licences: OR, AND, parentheses. A licence WITH an
    exception is one of its own, as it is for cargo-deny."""
    tokens = re.findall(r"\(|\)|[^\s()]+(?: WITH [^\s()]+)?", expression.replace("/", " OR "))

    def either(at: int) -> tuple[bool, int]:
        met, at = both(at)
        while at < len(tokens) and tokens[at] == "OR":
            more, at = both(at + 1)
            met = met or more
        return met, at

    def both(at: int) -> tuple[bool, int]:
        met, at = one(at)
        while at < len(tokens) and tokens[at] == "AND":
            more, at = one(at + 1)
            met = met and more
        return met, at

    def one(at: int) -> tuple[bool, int]:
        if tokens[at] == "(":
            met, at = either(at + 1)
            return met, at + 1
        return tokens[at] in allow, at + 1

    return bool(tokens) and either(0)[0]


def by_metadata() -> int:
    policy = tomllib.loads((ROOT / "deny.toml").read_text())
    command = ["cargo", "metadata", "--format-version", "1", "--all-features", "--locked"]
    found = subprocess.run(command, cwd=ROOT, check=False, capture_output=True)
    if found.returncode != 0:
        say("the packages of other systems cannot be fetched here, so nothing was checked")
        return 0
    packages = json.loads(found.stdout)["packages"]
    allow = set(policy["licenses"]["allow"])
    exceptions = {item["crate"]: set(item["allow"]) for item in policy["licenses"].get("exceptions", [])}
    registries = {f"registry+{address}" for address in policy["sources"]["allow-registry"]}
    refused = []
    for package in packages:
        name = f"{package['name']} {package['version']}"
        if package["source"] is not None:
            if package["source"] not in registries:
                refused.append(f"{name} comes from {package['source']}")
            if not is_allowed(package["license"] or "", allow | exceptions.get(package["name"], set())):
                refused.append(f"{name} has the licence {package['license']!r}")
        else:
            wild = [d["name"] for d in package["dependencies"] if d["req"] == "*" and not d.get("path")]
            refused += [f"{name} accepts any version of {other}" for other in wild]
    for sentence in refused:
        say(f"{sentence}, which deny.toml does not allow")
    say(f"licences and sources of {len(packages)} packages: {len(refused)} refused")
    without_advisories("that needs cargo-deny")
    return min(1, len(refused))


def version_of(program: pathlib.Path) -> str | None:
    if not program.exists():
        return None
    ran = subprocess.run([program, "--version"], check=False, capture_output=True, text=True)
    return ran.stdout.split()[-1] if ran.stdout else None


def installed() -> str | None:
    """The program in target/tools, built there if it is not yet, or is another version."""
    program = TOOLS / "bin/cargo-deny"
    if version_of(program) != VERSION:
        say(f"building cargo-deny {VERSION} in {TOOLS.relative_to(ROOT)}, once")
        command = ["cargo", "install", "--quiet", "--locked", "--force", "--debug", "--root", str(TOOLS)]
        # It runs for a second: what counts is how soon it is built.
        fast = {"CARGO_PROFILE_DEV_OPT_LEVEL": "0", "CARGO_PROFILE_DEV_DEBUG": "0"}
        built = subprocess.run([*command, f"cargo-deny@{VERSION}"], check=False, env=os.environ | fast)
        if built.returncode != 0:
            say("cargo-deny could not be built; this script checks what it can itself")
            return None
    return str(program)


def main() -> int:
    if "--own" in sys.argv[1:]:
        return by_metadata()
    program = shutil.which("cargo-deny") or installed()
    return with_cargo_deny(program) if program else by_metadata()


if __name__ == "__main__":
    sys.exit(main())
