# Links out of the manual's folder lead to files that the HTML does not have: their text stays.
s/\[([^]]*)\]\(\.\.\/[^)]*\)/\1/g
