package merchantpay_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// go get takes this folder alone.
func TestTheModuleHasTheProjectsLicences(t *testing.T) {
	for _, name := range []string{"LICENSE-MIT", "LICENSE-APACHE"} {
		if own, project := read(t, name), read(t, "../../"+name); own != project || len(own) < 1000 {
			t.Errorf("%s is not the project's", name)
		}
	}
}

func TestWithoutCgoTheCompilerSaysWhatIsMissingInOneSentence(t *testing.T) {
	command := exec.Command("go", "build", ".")
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	printed, err := command.CombinedOutput()
	if err == nil {
		t.Fatal("it compiles")
	}
	lines := strings.Split(strings.TrimSpace(string(printed)), "\n")
	if len(lines) != 2 || !strings.HasPrefix(lines[0], "# ") ||
		!strings.HasSuffix(lines[1], "undefined: merchantpay_needs_cgo__set_CGO_ENABLED_1_and_install_a_C_compiler") {
		t.Errorf("%d lines:\n%s", len(lines), printed)
	}
}
