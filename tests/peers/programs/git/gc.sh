# A history of many commits and branches, packed again by threads, pruned and checked.
# needs: git git
# needs: awk mawk
# stderr: ignore
export GIT_AUTHOR_DATE="1100000000 +0000" GIT_COMMITTER_DATE="1100000000 +0000"
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=c GIT_COMMITTER_EMAIL=c@d
awk 'BEGIN {
    for (n = 1; n <= 800; n++) {
        printf "commit refs/heads/branch%d\nmark :%d\ncommitter c <c@d> %d +0000\ndata 6\nchange\n", n % 5, n, 1000000000 + n * 60
        if (n > 1) printf "from :%d\n", (n > 5 ? n - 5 : 1)
        for (f = 1; f <= 3; f++) {
            text = ""
            for (l = 1; l <= 200; l++) text = text "line " l " " (l * 7 + (l % 50 == n % 50 ? n : f)) "\n"
            printf "M 644 inline folder%d/file%d.txt\ndata %d\n%s\n", n % 13, (n * f) % 40, length(text), text
        }
    } }' > history
git init -q -b main work && cd work
git -c fastimport.unpackLimit=0 fast-import --quiet < ../history
git checkout -q branch1
for branch in 2 3; do git merge -q --no-edit -X ours "branch$branch" > /dev/null; git log -1 --format=%T; done
for n in $(seq 30); do echo "loose $n" | git hash-object -w --stdin; done | sha256sum
git branch -q -D branch4
state() {
    git fsck --full --strict --no-dangling && echo "checked"
    git for-each-ref --format='%(refname) %(tree)'
    git rev-list --count --all
    git log --all --format='%T %s' --stat | sha256sum
}
state
git config pack.threads 2
git gc -q && state
git -c gc.reflogExpire=now reflog expire --expire=now --all
git gc -q --aggressive --prune=now && state
git count-objects -v | grep -E '^(count|packs|garbage):'
git verify-pack -v .git/objects/pack/*.idx | grep -cE ' (commit|tree|blob) '
git blame folder1/file1.txt 2> /dev/null | awk '{ print $NF }' | sha256sum
