//! `make test-full` continues where it stopped: `tools/dev/stage --resume`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A repository with one commit, a copy of the script `tools/dev/stage`, and separate notes of finished
/// parts.
struct Repository(PathBuf);

impl Repository {
    fn new(name: &str) -> Repository {
        let folder = std::env::temp_dir().join(format!("merchantpay-stage-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("tools/dev")).unwrap();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/dev/stage");
        fs::copy(script, folder.join("tools/dev/stage")).unwrap();
        fs::write(folder.join(".gitignore"), "target\n").unwrap();
        let repository = Repository(folder);
        repository.git(&["init", "--quiet"]);
        repository.commit();
        repository
    }

    fn git(&self, arguments: &[&str]) {
        let identity = ["-c", "user.name=test", "-c", "user.email=test@localhost"];
        let mut command = Command::new("git");
        command.current_dir(&self.0).args(identity).args(arguments);
        assert!(command.status().unwrap().success());
    }

    fn commit(&self) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", "tests: a commit"]);
    }

    fn stage(&self, arguments: &[&str]) -> String {
        let mut command = Command::new(self.0.join("tools/dev/stage"));
        let output = command.args(arguments).env_remove("CARGO_TARGET_DIR").output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    /// The parts that one run of `make test-full` starts.
    fn run(&self, parts: &[(&str, &str)]) -> Vec<String> {
        self.stage(&["--resume", "--begin"]);
        let started = |(name, command): &(&str, &str)| {
            let printed = self.stage(&["--resume", name, "sh", "-c", &format!("echo started; {command}")]);
            printed.contains("started").then(|| (*name).to_owned())
        };
        parts.iter().filter_map(started).collect()
    }
}

impl Drop for Repository {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_run_repeats_only_the_parts_that_have_not_passed_at_this_commit() {
    let repository = Repository::new("resumed");
    assert_eq!(repository.run(&[("one", "true"), ("two", "false")]), ["one", "two"]);
    assert_eq!(repository.run(&[("one", "true"), ("two", "true"), ("three", "true")]), ["two", "three"]);
    let summary = repository.stage(&["--resume", "--summary"]);
    for part in ["one", "two", "three", "this run"] {
        assert!(summary.lines().any(|line| line.starts_with(part)), "{summary}");
    }

    fs::write(repository.0.join("changed"), "").unwrap();
    assert_eq!(repository.run(&[("one", "true")]), ["one"], "changed sources");
    assert_eq!(repository.run(&[("one", "true")]), ["one"], "changed sources again");
    repository.commit();
    assert_eq!(repository.run(&[("one", "true"), ("two", "true")]), ["one", "two"], "another commit");
    assert_eq!(repository.run(&[("one", "true"), ("two", "true")]), [""; 0]);

    repository.git(&["checkout", "--quiet", "HEAD~1"]);
    assert_eq!(repository.run(&[("one", "true"), ("three", "true")]), [""; 0], "the first commit again");
    let summary = repository.stage(&["--resume", "--summary"]);
    assert_eq!(summary.lines().filter(|line| line.starts_with("one")).count(), 1, "{summary}");
}

#[test]
fn a_part_whose_sources_changed_while_it_ran_has_not_passed() {
    let repository = Repository::new("changed");
    let change = format!("touch {}", repository.0.join("new").display());
    assert_eq!(repository.run(&[("one", &change)]), ["one"]);
    fs::remove_file(repository.0.join("new")).unwrap();
    assert_eq!(repository.run(&[("one", "true")]), ["one"]);
}
