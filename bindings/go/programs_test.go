package merchantpay_test

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/merchantpay/merchantpay-go"
)

// run runs a program to its end. What it prints on stderr is shown if it fails.
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

// buildExamples builds the examples once, into a folder that TestMain takes away.
var buildExamples = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "merchantpay-examples")
	if err != nil {
		return "", err
	}
	command := exec.Command("go", "build", "-o", folder+string(os.PathSeparator), "./...")
	command.Dir = "../../examples/go"
	printed, err := command.CombinedOutput()
	if err != nil {
		err = &exec.Error{Name: string(printed), Err: err}
	}
	return folder, err
})

func example(t testing.TB, name string) string {
	t.Helper()
	folder, err := buildExamples()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(folder, name)
}

// blocks are a page's code blocks of one language.
func blocks(page, language string) []string {
	var found []string
	for _, match := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(page, -1) {
		found = append(found, match[1])
	}
	return found
}

// promised is what examples/README.md says that a program prints.
func promised(t testing.TB, name string) string {
	t.Helper()
	return promises(t, name)[0]
}

// promises are the same for each of its runs.
func promises(t testing.TB, name string) []string {
	t.Helper()
	_, section, found := strings.Cut(read(t, "../../examples/README.md"), "\n### "+name+"\n")
	if !found {
		t.Fatalf("%s has no section", name)
	}
	var runs []string
	for _, block := range blocks(section, "text") {
		runs = append(runs, strings.TrimSpace(block))
	}
	return runs
}

// wantLines compares lines with what was promised: a word in capitals stands for any value, the same one wherever it stands.
func wantLines(t testing.TB, printed, promise string) {
	t.Helper()
	got, wanted := strings.Split(strings.TrimSpace(printed), "\n"), strings.Split(promise, "\n")
	if len(got) != len(wanted) {
		t.Fatalf("%d lines in place of %d:\n%s", len(got), len(wanted), printed)
	}
	values := map[string]string{}
	for i := range wanted {
		words := strings.Split(wanted[i], " ")
		values["RUB"] = "RUB"
		// The last value of a line may have spaces in it.
		gotWords := strings.SplitN(got[i], " ", len(words))
		for j, word := range words {
			expected := word
			if len(word) > 2 && word == strings.ToUpper(word) && regexp.MustCompile(`^[A-Z]+$`).MatchString(word) {
				if _, known := values[word]; !known && j < len(gotWords) {
					values[word] = gotWords[j]
				}
				expected = values[word]
			}
			if j >= len(gotWords) || gotWords[j] == "" || gotWords[j] != expected {
				t.Fatalf("%q in place of %q", got[i], wanted[i])
			}
		}
	}
}

func receipt(t testing.TB) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "receipt.pdf")
	if err := os.WriteFile(name, []byte("%PDF-1.4\n%%EOF\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestEveryExamplePrintsWhatIsPromised(t *testing.T) {
	for name, arguments := range map[string][]string{"accept": nil, "arbitrate": {receipt(t)}, "outcomes": nil} {
		t.Run(name, func(t *testing.T) { wantLines(t, run(t, "", example(t, name), arguments...), promised(t, name)) })
	}
}

func TestAcceptTellsHowThePaymentEnded(t *testing.T) {
	for account, end := range map[string]string{
		"pays-less":        "status doneSuccess\npaid 1350.50\n",
		"payment-fails":    "confirmed\nstatus doneFail\n",
		"bare-credentials": "status doneSuccess\npaid 1500.55\n",
	} {
		if printed := run(t, "", example(t, "accept"), account); !strings.HasSuffix(printed, end) {
			t.Errorf("%s: %s", account, printed)
		}
	}
}

func TestAnExampleThatFailsSaysWhyOnStderr(t *testing.T) {
	invalid := "error invalid_argument not_sent: "
	for _, row := range []struct {
		name     string
		argument string
		unset    bool
		status   int
		begin    string
	}{
		{"accept", "", true, 1, invalid},
		{"arbitrate", receipt(t), true, 1, invalid},
		{"outcomes", "", true, 1, invalid},
		{"webhook", "", true, 1, invalid},
		{"arbitrate", "", false, 2, "usage: arbitrate FILE"},
		{"webhook", "many", false, 2, `usage: webhook \[COUNT\]`},
		{"recover", "", false, 2, `usage: recover FILE \[PORT\]`},
		{"shop", "", false, 2, "usage: shop ADDRESS DATABASE"},
		{"recover", "/nowhere/payments.db", true, 1, invalid},
		{"accept", "no-credentials", false, 1, "error rejected rejected: .*\nthe service says: credentials not found\n$"},
		{"arbitrate", "/nowhere/receipt.pdf", false, 1, invalid},
	} {
		command := exec.Command(example(t, row.name))
		if row.argument != "" {
			command.Args = append(command.Args, row.argument)
		}
		if row.unset {
			command.Env = []string{"LD_LIBRARY_PATH=" + os.Getenv("LD_LIBRARY_PATH")}
		}
		var stderr bytes.Buffer
		command.Stderr = &stderr
		_ = command.Run()
		if status := command.ProcessState.ExitCode(); status != row.status || !regexp.MustCompile("^"+row.begin).MatchString(stderr.String()) {
			t.Errorf("%v: %d %s", command.Args, status, stderr.String())
		}
	}
}

func TestTheReceiverTakesWhatTheServiceSendsAndRefusesTheRest(t *testing.T) {
	command := exec.Command(example(t, "webhook"), "2")
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = command.Process.Kill() })
	lines := bufio.NewScanner(output)
	var printed strings.Builder
	next := func() string {
		if !lines.Scan() {
			t.Fatalf("it ended after:\n%s", printed.String())
		}
		printed.WriteString(lines.Text() + "\n")
		return lines.Text()
	}
	url := "http://127.0.0.1:" + strings.TrimPrefix(next(), "listening ") + "/hook"
	looked, err := http.Get(url)
	if err != nil || looked.StatusCode != http.StatusMethodNotAllowed {
		t.Fatal(looked, err)
	}
	_ = looked.Body.Close()
	for _, body := range []string{`{"success":false,"orderId":"o-1"}`, strings.Repeat(" ", 70_000)} {
		request, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("X-Signature", "AAAA")
		answer, err := http.DefaultClient.Do(request)
		if err != nil || answer.StatusCode != http.StatusBadRequest {
			t.Fatal(answer, err)
		}
		_ = answer.Body.Close()
		next()
	}
	client := newClient(t)
	id, err := client.NewPaymentAsync(background, merchantpay.PaymentRequest{
		Sum: amount("1500.55"), PaymentMethod: "sbp", CustomerAccount: "79001234567", CredentialsWebhookURL: url, StatusWebhookURL: url,
	})
	if err != nil {
		t.Fatal(err)
	}
	next()
	if err := client.Confirm(background, id); err != nil {
		t.Fatal(err)
	}
	next()
	wantLines(t, printed.String(), promised(t, "webhook"))
	if err := command.Wait(); err != nil {
		t.Error(err)
	}
}

// control asks the sandbox's control API.
func control(t testing.TB, method, path, body string) string {
	t.Helper()
	request, err := http.NewRequest(method, os.Getenv("MERCHANTPAY_BASE_URL")+"/sandbox"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode > 299 {
		t.Fatal(answer.Status, string(text), err)
	}
	return string(text)
}

func TestAPaymentWhoseReplyWasLostIsFoundByItsWebhookAlsoAfterACrash(t *testing.T) {
	file := filepath.Join(t.TempDir(), "payments.db")
	run(t, "", merchantpayProgram(), "journal", "init", "--journal", file)
	// A fault that the program does not reach would drop the payment of another test.
	t.Cleanup(func() { control(t, http.MethodDelete, "/faults", "") })
	control(t, http.MethodPost, "/faults", `{"kind":"dropAfterCommit","operation":"newPayment"}`)
	// start gives the program and a way to so many of its lines.
	start := func(arguments ...string) (*exec.Cmd, func(int) string) {
		command := exec.Command(example(t, "recover"), arguments...)
		output, err := command.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = command.Process.Kill() })
		lines := bufio.NewScanner(output)
		return command, func(count int) string {
			var printed strings.Builder
			for range count {
				if !lines.Scan() {
					t.Fatalf("it ended after:\n%s", printed.String())
				}
				printed.WriteString(lines.Text() + "\n")
			}
			return printed.String()
		}
	}
	wanted := promises(t, "recover")
	command, next := start(file)
	printed := next(2)
	wantLines(t, printed, wanted[0])
	port := words(printed, `(?m)^listening (\d+)$`)[0]
	answer, err := http.Post("http://127.0.0.1:"+port+"/hooks/"+strings.Repeat("0", 32), "application/json", strings.NewReader("{}"))
	if err != nil || answer.StatusCode != http.StatusBadRequest {
		t.Fatal(answer, err)
	}
	_ = answer.Body.Close()
	_ = command.Process.Kill()
	_ = command.Wait()

	command, next = start(file, port)
	printed = next(2)
	id := words(control(t, http.MethodGet, "/payments?limit=1", ""), `"orderId":"([^"]+)"`)[0]
	control(t, http.MethodPost, "/payments/"+id+"/operator", `{"action":"approve"}`)
	wantLines(t, printed+next(1), wanted[1])
	if err := command.Wait(); err != nil {
		t.Error(err)
	}
	// It was shipped, and is not shipped again.
	if again := run(t, "", example(t, "recover"), file); !strings.HasSuffix(again, "\norder-1017 final\n") {
		t.Error(again)
	}
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
		// What the package requires, and the package.
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

// words are the matches' first groups, each once.
func words(text, pattern string) []string {
	var found []string
	for _, match := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		found = append(found, match[1])
	}
	slices.Sort(found)
	return slices.Compact(found)
}
