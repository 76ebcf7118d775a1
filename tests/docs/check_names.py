"""Code names and links in the documents exist.
usage: check_names.py SOURCE

In backquotes, a name that begins with kg_, KG_, kugel_ or KUGEL_ must be a word of some C file ("KG_SWEEPS_..." must
begin one), and "kg_thing.member" a member of that struct. Another name in snake_case must be a word of some source
file, except in the list of experiments, which names code that is gone. A path or file name must be that of a file. In
"`name` in `file.c`" and "`name` (`file.c`)" the file must have that word. A link must lead to a file, and its #anchor
to a heading there. All documents together have at most 45,000 words, the list of experiments 3,000."""
import pathlib
import re
import sys

WORDS_MOST, EXPERIMENTS_MOST = 45000, 3000
source = pathlib.Path(sys.argv[1]).resolve()
FOLDERS = ("engine", "include", "samples", "tests", "tools")
files = [p for folder in FOLDERS for p in (source / folder).rglob("*") if p.is_file()] + list(source.glob("*.*"))
names = [str(p.relative_to(source)) for p in files]
code = "\n".join(p.read_text() for p in files if p.suffix in (".c", ".h", ".cpp", ".hpp"))
words = set(re.findall(r"\b\w+\b", code))
others = "\n".join(p.read_text() for p in files if p.suffix in (".py", ".mjs", ".build", ".txt", ".toml", ".json"))
all_words = words | set(re.findall(r"\b\w+\b", others))
structs = {m[1]: m[0] for m in re.finditer(r"^(?:typedef )?struct (\w+) \{$.*?^\}", code, flags=re.M | re.S)}
pages = [source / "README.md", source / "engine/README.md", source / ".github/CONTRIBUTING.md", *(source / "tools/docs").rglob("*.md")]
bad = []
NAME_AND_FILE = re.compile(r"`(\w+)`\s+(?:in\s+|\()`([\w./-]+\.(?:c|h|py))`")


def is_file(path):
    return any(name == path or name.endswith("/" + path) for name in names)


def has_word(path, word):
    found = [p for p, name in zip(files, names) if name == path or name.endswith("/" + path)]
    return any(re.search(rf"\b{word}\b", p.read_text()) for p in found)


def anchors(page):
    heads = re.findall(r"^#+ (.*)$", page.read_text(), flags=re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


for page in pages:
    text = re.sub(r"^```.*?^```$", lambda m: "\n" * m[0].count("\n"), page.read_text(), flags=re.M | re.S)
    for pair in NAME_AND_FILE.finditer(text):
        if not has_word(pair[2], pair[1]):
            number = text.count("\n", 0, pair.start()) + 1
            bad.append(f"{page.relative_to(source)}:{number}: `{pair[1]}` is not in `{pair[2]}`")
    for number, line in enumerate(text.split("\n"), 1):
        where = f"{page.relative_to(source)}:{number}:"
        for token in re.findall(r"`([^`]+)`", line):
            if re.fullmatch(r"(kg|KG|kugel|KUGEL)_\w*\.\.\.", token):
                ok = any(word.startswith(token[:-3]) for word in words)
            elif re.fullmatch(r"(kg|KG|kugel|KUGEL)_\w+(\.\w+)?", token):
                name, _, member = token.partition(".")
                ok = name in words and (not member or bool(re.search(rf"\b{member}\b", structs.get(name, code))))
            elif re.fullmatch(r"[\w./-]+\.(c|h|md|txt|build|py|mjs)", token) and "NAME" not in token:
                ok = is_file(token) or token in ("index.d.ts", "kugel.c", "kugel.h", "golden.txt")
            elif re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)+", token) and page.name != "experiments.md":
                ok = token in all_words
            else:
                ok = True
            if not ok:
                bad.append(f"{where} `{token}` is neither in the code nor a file")
        for link in re.findall(r"\]\(([^)\s]+)\)", line):
            path, _, anchor = link.partition("#")
            target = (page.parent / path) if path else page
            if "://" in link:
                continue
            if not target.exists():
                bad.append(f"{where} {link}: no such file")
            elif anchor and anchor not in anchors(target):
                bad.append(f"{where} {link}: no such heading")
all_pages = {*pages, source / "CHANGELOG.md", source / "tools/npm/README.md"}
count = sum(len(page.read_text().split()) for page in all_pages)
experiments = len((source / "tools/docs/experiments.md").read_text().split())
if count > WORDS_MOST:
    bad.append(f"all documents have {count} words, at most {WORDS_MOST}")
if experiments > EXPERIMENTS_MOST:
    bad.append(f"experiments.md has {experiments} words, at most {EXPERIMENTS_MOST}")
print("\n".join(bad) or f"ok: {len(pages)} pages, {count} words")
sys.exit(bool(bad))
