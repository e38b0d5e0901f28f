# Which files of the project a check is about. Sourced, never run.
# shellcheck shell=bash disable=SC2154  # project comes from common.sh

# The clone may belong to another user than the one inside the environment.
project_git() { git -c safe.directory='*' -C "$project" "$@"; }

# The files git knows, and new ones it does not ignore.
all_files() {
    project_git ls-files --cached --others --exclude-standard |
        while read -r file; do [[ ! -f $project/$file ]] || printf '%s\n' "$file"; done
}

branching_point() {
    project_git merge-base HEAD origin/main 2>/dev/null || project_git merge-base HEAD main 2>/dev/null
}

# Those that differ from where this branch left main.
changed_files() {
    local base files changed
    base=$(branching_point) || fail "this clone knows no commit that this branch shares with main: git fetch origin main"
    files=$(all_files) || return
    changed=$(project_git diff --name-only "$base" && project_git ls-files --others --exclude-standard) || return
    grep -Fxf <(printf '%s\n' "$changed") <<<"$files" || true
}

selected=()

# select_files all|changed: which files the lists below are taken from. One that cannot be made ends the script, so that
# it does not pass for one with nothing in it.
select_files() {
    local files
    files=$("$1_files") || fail "git cannot tell which files of $project to look at"
    [[ -z $files ]] || mapfile -t selected <<<"$files"
}

selected_files() { ((!${#selected[@]})) || printf '%s\n' "${selected[@]}"; }

cpp_files() { selected_files | grep -E '\.(hpp|cpp)$' || true; }

python_files() { selected_files | grep -E '\.py$' || true; }

shell_files() {
    selected_files | while read -r file; do
        if [[ $file == *.sh ]] || head -n 1 "$project/$file" | grep -qaE '^#!.*\b(ba)?sh$'; then
            printf '%s\n' "$file"
        fi
    done
}
