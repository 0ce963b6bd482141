//! The revision that a pull request is compared with.
//!
//! Flows in: the variables of CI systems. Flows out: a git revision. Must not know git.

/// The base of the pull request or merge request that the variables name; `None` where the job is about none.
/// `variable` gives the value of a variable.
pub(crate) fn base_of_pull_request(variable: impl Fn(&str) -> Option<String>) -> Option<String> {
    let read = |name: &str| variable(name).filter(|text| !text.is_empty());
    let on_origin = |branch: String| format!("origin/{branch}");
    // GitLab names the commit, which is there where the whole history is.
    read("CI_MERGE_REQUEST_DIFF_BASE_SHA")
        .or_else(|| read("CI_MERGE_REQUEST_TARGET_BRANCH_NAME").map(on_origin))
        // GitHub Actions; a job that no pull request started has an empty variable.
        .or_else(|| read("GITHUB_BASE_REF").map(on_origin))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_system_names_its_base() {
        let base = |variables: &[(&str, &str)]| {
            base_of_pull_request(|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
        };
        assert_eq!(base(&[("GITHUB_BASE_REF", "main")]).as_deref(), Some("origin/main"));
        assert_eq!(base(&[("GITHUB_BASE_REF", "")]), None, "a push");
        let both = [("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main"), ("CI_MERGE_REQUEST_DIFF_BASE_SHA", "12ab")];
        assert_eq!(base(&both).as_deref(), Some("12ab"));
        assert_eq!(base(&both[..1]).as_deref(), Some("origin/main"));
    }
}
