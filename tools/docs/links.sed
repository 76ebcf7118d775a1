# Links out of the manual's folder lead to files that the HTML does not have: their text stays. It has limits.md
# and pictures.
s/(!\[[^]]*\]\()\.\.\/pictures\//\1/g
s/\]\(\.\.\/limits\.md/](LIMITS/g
s/\[([^]]*)\]\((\.\.\/|benchmark|experiments|architecture|decisions|contributing)[^)]*\)/\1/g
s/\]\(LIMITS/](..\/limits.md/g
