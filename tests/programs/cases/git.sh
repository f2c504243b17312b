# A repository from its first commit to gc and fsck, with fixed names and dates.
# needs: git git
export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=C GIT_COMMITTER_EMAIL=c@example.org
export GIT_CONFIG_NOSYSTEM=1
git init --quiet --initial-branch=main work
cd work
for n in $(seq 1 40); do
    mkdir -p "d$((n % 5))"
    seq "$n" "$((n * 50))" > "d$((n % 5))/file$n"
    seq 1 "$n" >> shared
    git add .
    export GIT_AUTHOR_DATE="$((1700000000 + n * 60)) +0000" GIT_COMMITTER_DATE="$((1700000000 + n * 60)) +0000"
    git commit --quiet -m "commit $n"
done
git log --stat --format='%H %an %ad %s' | cksum
git checkout --quiet -b side HEAD~10
echo 'a side line' > side.txt; git add side.txt; git commit --quiet -m side
git checkout --quiet main
git merge --quiet --no-edit side
git rebase --quiet HEAD~2 && git log --oneline -3
git diff HEAD~20 HEAD | cksum
git blame shared | cksum
git grep -c 42 | cksum
git -c gc.pruneExpire=now -c pack.threads=4 gc --quiet --aggressive
git fsck --full --strict
git count-objects -v | grep -E '^(count|in-pack|packs):'
git clone --quiet --no-hardlinks . ../copy
git -C ../copy rev-parse HEAD
git archive HEAD | cksum
git bundle create --quiet ../all.bundle --all && git bundle verify --quiet ../all.bundle && echo bundle good
