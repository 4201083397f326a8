package merchantpay_test

import (
	"go/build"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func read(name string) string {
	return string(must(os.ReadFile(name)))
}

// `go get` fetches only this folder, so it must contain the licences.
func TestModuleHasTheProjectsLicences(t *testing.T) {
	for _, name := range []string{"LICENSE-MIT", "LICENSE-APACHE"} {
		if own, project := read(name), read("../../"+name); own != project || len(own) < 1000 {
			t.Errorf("%s is not the project's", name)
		}
	}
}

func TestCompilerNamesAMissingCgo(t *testing.T) {
	for _, tags := range []string{"", "merchantpay_dynamic"} {
		command := exec.Command("go", "build", "-tags", tags, ".")
		command.Env = append(os.Environ(), "CGO_ENABLED=0")
		printed, err := command.CombinedOutput()
		if err == nil {
			t.Fatal("it compiles")
		}
		lines := strings.Split(strings.TrimSpace(string(printed)), "\n")
		if len(lines) != 2 || !strings.HasPrefix(lines[0], "# ") ||
			!strings.HasSuffix(lines[1], "undefined: merchantpay_needs_cgo__set_CGO_ENABLED_1_and_install_a_C_compiler") {
			t.Errorf("%d lines with the tags %q:\n%s", len(lines), tags, printed)
		}
	}
}

// linking returns the names of the files of internal/waist that define the linked libraries for a platform.
func linking(platform string, tags ...string) string {
	context := build.Default
	context.GOOS, context.GOARCH, _ = strings.Cut(platform, "/")
	context.CgoEnabled, context.BuildTags = true, tags
	var files []string
	for _, name := range must(filepath.Glob("internal/waist/link_*.go")) {
		if must(context.MatchFile(filepath.Split(name))) {
			files = append(files, filepath.Base(name))
		}
	}
	slices.Sort(files)
	return strings.Join(files, " ")
}

func TestEachPlatformLinksOneLibrary(t *testing.T) {
	const none = "link_module.go link_none.go"
	for _, row := range []struct{ platform, tags, files string }{
		{"linux/amd64", "", "link_linux_amd64.go link_module.go"},
		{"linux/arm64", "", "link_linux_arm64.go link_module.go"},
		{"linux/arm", "", "link_linux_arm.go link_module.go"},
		{"linux/amd64", "merchantpay_musl", "link_module.go link_musl_linux_amd64.go"},
		{"linux/arm64", "merchantpay_musl", "link_module.go link_musl_linux_arm64.go"},
		{"linux/arm", "merchantpay_musl", none},
		{"linux/riscv64", "", none},
		{"darwin/arm64", "", none},
		{"windows/amd64", "", "link_module.go link_windows_amd64.go"},
		{"windows/386", "", "link_module.go link_windows_386.go"},
		{"windows/amd64", "merchantpay_musl", none},
		{"windows/arm64", "", none},
		{"linux/amd64", "merchantpay_dynamic", "link_dynamic.go"},
		{"linux/arm", "merchantpay_dynamic,merchantpay_musl", "link_dynamic.go"},
		{"freebsd/amd64", "merchantpay_dynamic", "link_dynamic.go"},
	} {
		if files := linking(row.platform, strings.Split(row.tags, ",")...); files != row.files {
			t.Errorf("%s with the tags %q: %s", row.platform, row.tags, files)
		}
	}
}
