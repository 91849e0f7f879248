#!/usr/bin/env python3
"""What may enter the dependency tree: deny.toml, checked by cargo-deny or, without it, here.

cargo-deny is used where it is: on the path, or in target/tools. `tools/deny.py --install` builds it there
once (about ten minutes of one processor). Without it this script checks what the metadata of Cargo tells:
the licence and the source of every package, and that no dependency accepts any version. Advisories need
cargo-deny and its database; that they were not looked at is said, with the date.
"""

import datetime
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOLS = ROOT / "target/tools"
VERSION = "0.20"


def run(*command: str, quiet: bool = False) -> int:
    return subprocess.run(command, cwd=ROOT, check=False, capture_output=quiet).returncode


def say(sentence: str) -> None:
    print(f"deny: {sentence}", flush=True)


def without_advisories(why: str) -> None:
    say(f"advisories were not checked: {why} ({datetime.date.today().isoformat()})")


def with_cargo_deny(program: str) -> int:
    if run(program, "fetch", quiet=True) == 0:
        return run(program, "check")
    without_advisories("their database cannot be fetched here")
    return run(program, "check", "bans", "licenses", "sources")


def is_allowed(expression: str, allow: set[str]) -> bool:
    """Whether a licence expression is met by allowed licences: OR, AND, parentheses, WITH."""
    expression = re.sub(r"\s+WITH\s+\S+", "", expression.replace("/", " OR "))
    tokens = re.findall(r"\(|\)|[^\s()]+", expression)

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
    without_advisories("cargo-deny is not installed; tools/deny.py --install builds it")
    return min(1, len(refused))


def main() -> int:
    own = TOOLS / "bin/cargo-deny"
    if "--install" in sys.argv[1:] and not own.exists():
        return run("cargo", "install", "cargo-deny", "--version", VERSION, "--locked", "--root", str(TOOLS))
    program = shutil.which("cargo-deny") or (str(own) if own.exists() else None)
    return with_cargo_deny(program) if program else by_metadata()


if __name__ == "__main__":
    sys.exit(main())
