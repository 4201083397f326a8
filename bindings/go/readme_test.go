package merchantpay_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// run runs a program to its end, and returns its output. If the program fails, the test shows the program's
// stderr.
func run(t testing.TB, folder, name string, arguments ...string) string {
	t.Helper()
	command := exec.Command(name, arguments...)
	command.Dir = folder
	var stderr bytes.Buffer
	command.Stderr = &stderr
	printed, err := command.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s%s", command.Args, err, printed, stderr.String())
	}
	return string(printed)
}

// blocks are the code blocks of one language on a page.
func blocks(page, language string) []string {
	var found []string
	for _, match := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(page, -1) {
		found = append(found, match[1])
	}
	return found
}

func TestTheProgramsOfTheREADMERun(t *testing.T) {
	folderOfThePackage, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	pages := blocks(read(t, "README.md"), "go")
	if len(pages) != 3 {
		t.Fatalf("%d programs", len(pages))
	}
	for i, wanted := range []string{`^sb-\w+ pay 1500.50 to \d+\n$`, `^$`, `^pay 1500.50 to \d+\nship order-1017\n$`} {
		folder := t.TempDir()
		// The README's program needs the dependencies of this module, and the module itself from this folder.
		own := strings.NewReplacer("module github.com/merchantpay/merchantpay-go\n", "module readme\n", "=> ./", "=> "+folderOfThePackage+"/")
		module := own.Replace(read(t, "go.mod")) + "\nrequire github.com/merchantpay/merchantpay-go v0.0.0\n\n" +
			"replace github.com/merchantpay/merchantpay-go => " + folderOfThePackage + "\n"
		for name, text := range map[string]string{"main.go": pages[i], "go.mod": module, "go.sum": read(t, "go.sum")} {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		t.Setenv("MERCHANTPAY_JOURNAL", filepath.Join(folder, "payments.db"))
		run(t, folder, merchantpayProgram(), "journal", "init")
		run(t, folder, "go", "vet", ".")
		if printed := run(t, folder, "go", "run", "."); !regexp.MustCompile(wanted).MatchString(printed) {
			t.Errorf("program %d: %q", i+1, printed)
		}
		if formatted := run(t, folder, "gofmt", "-l", "."); formatted != "" {
			t.Errorf("program %d is not formatted", i+1)
		}
	}
}
