# Which files of the project a check is about. Sourced, never run.
# shellcheck shell=bash disable=SC2154  # project comes from common.sh

# The clone may belong to another user than the one inside the environment.
project_git() { git -c safe.directory='*' -C "$project" "$@"; }

# The files git knows, and new ones it does not ignore.
all_files() {
    project_git ls-files --cached --others --exclude-standard |
        while read -r file; do [[ ! -f $project/$file ]] || printf '%s\n' "$file"; done
}

# Those that differ from where this branch left main.
changed_files() {
    local base
    base=$(project_git merge-base HEAD origin/main 2>/dev/null || project_git merge-base HEAD main)
    all_files | grep -Fxf <(project_git diff --name-only "$base" && project_git ls-files --others --exclude-standard) || true
}

selected_files() { if [[ ${only_changed:-no} == yes ]]; then changed_files; else all_files; fi; }

cpp_files() { selected_files | grep -E '\.(hpp|cpp)$' || true; }

python_files() { selected_files | grep -E '\.py$' || true; }

shell_files() {
    selected_files | while read -r file; do
        if [[ $file == *.sh ]] || head -n 1 "$project/$file" | grep -qaE '^#!.*\b(ba)?sh$'; then
            printf '%s\n' "$file"
        fi
    done
}
