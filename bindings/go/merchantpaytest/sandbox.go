package merchantpaytest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/merchantpay/merchantpay-go"
)

// Options has the options of a sandbox. The zero value is right for most tests.
type Options struct {
	// Program is the path of the program merchantpay. If it is empty, the variable MERCHANTPAY_PROGRAM names
	// the program. If that is empty too, the program is searched on the PATH.
	Program string
	// ManualClock stops the clock until Advance is called.
	ManualClock bool
	// Hold makes every payment wait until Operate decides about the payment.
	Hold bool
}

// Sandbox is a running sandbox. Any number of goroutines may use it.
type Sandbox struct {
	// Config has the settings of the sandbox's merchant.
	Config merchantpay.Config
	// URL is the sandbox's base URL. In a browser this URL shows the console, which is the sandbox's own pages.
	URL string

	variables map[string]string
	command   *exec.Cmd
	stdin     io.Closer
}

// Start runs a sandbox for a test and ends it with the test. A sandbox that does not start fails the test.
func Start(t testing.TB, options ...Options) *Sandbox {
	t.Helper()
	sandbox, err := New(options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sandbox.Close)
	return sandbox
}

// New runs a sandbox until Close is called. Use New in TestMain. At most one value of Options is used.
func New(options ...Options) (*Sandbox, error) {
	var chosen Options
	if len(options) > 0 {
		chosen = options[0]
	}
	arguments := []string{"sandbox", "--port", "0", "--format", "json", "--exit-with-stdin", "--pace", "20ms"}
	if chosen.ManualClock {
		arguments = append(arguments, "--clock", "manual")
	}
	if chosen.Hold {
		arguments = append(arguments, "--hold")
	}
	program, err := program(chosen.Program)
	if err != nil {
		return nil, err
	}
	command := exec.Command(program, arguments...)
	// The sandbox ends when this pipe closes. The pipe also closes when this process is killed.
	stdin, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	var failure bytes.Buffer
	command.Stderr = &failure
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("merchantpaytest: the program %s does not start: %w", program, err)
	}
	sandbox := &Sandbox{command: command, stdin: stdin}
	reader := bufio.NewReader(stdout)
	line, err := reader.ReadBytes('\n')
	if err != nil {
		sandbox.Close()
		return nil, fmt.Errorf("merchantpaytest: the sandbox ended: %s", bytes.TrimSpace(failure.Bytes()))
	}
	go func() { _, _ = io.Copy(io.Discard, reader) }()
	if err := sandbox.readSettings(line); err != nil {
		sandbox.Close()
		return nil, err
	}
	return sandbox, nil
}

func program(given string) (string, error) {
	if given == "" {
		given = os.Getenv("MERCHANTPAY_PROGRAM")
	}
	if given != "" {
		return given, nil
	}
	found, err := exec.LookPath("merchantpay")
	if err != nil {
		return "", errors.New("merchantpaytest: there is no program merchantpay on the path: set Options.Program or MERCHANTPAY_PROGRAM")
	}
	return found, nil
}

func (s *Sandbox) readSettings(line []byte) error {
	var settings struct {
		BaseURL     string            `json:"baseUrl"`
		Environment map[string]string `json:"environment"`
	}
	if err := json.Unmarshal(line, &settings); err != nil {
		return fmt.Errorf("merchantpaytest: the sandbox's settings cannot be read: %w", err)
	}
	s.URL, s.variables = settings.BaseURL, settings.Environment
	s.Config = merchantpay.Config{
		BaseURL:         s.variables["MERCHANTPAY_BASE_URL"],
		KeyID:           s.variables["MERCHANTPAY_KEY_ID"],
		PrivateKey:      s.variables["MERCHANTPAY_PRIVATE_KEY"],
		ServerPublicKey: s.variables["MERCHANTPAY_SERVER_PUBLIC_KEY"],
		ServerKeyID:     s.variables["MERCHANTPAY_SERVER_KEY_ID"],
	}
	return nil
}

// Setenv sets this sandbox's variables MERCHANTPAY_… for a test, and removes all other settings from the
// environment, so that ConfigFromEnv returns this sandbox's settings.
func (s *Sandbox) Setenv(t testing.TB) {
	t.Helper()
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(name, "MERCHANTPAY_") && name != "MERCHANTPAY_LIBRARY" && name != "MERCHANTPAY_PROGRAM" {
			t.Setenv(name, "") // The variable is restored after the test.
			if err := os.Unsetenv(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, value := range s.variables {
		t.Setenv(name, value)
	}
}

// Client returns a client of the sandbox. The client is closed at the end of the test.
func (s *Sandbox) Client(t testing.TB) *merchantpay.Client {
	t.Helper()
	client, err := merchantpay.NewClient(s.Config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

// Close ends the sandbox. It can be called more than once.
func (s *Sandbox) Close() {
	_ = s.stdin.Close()
	_ = s.command.Wait()
}
