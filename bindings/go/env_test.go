package merchantpay_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/merchantpay/merchantpay-go"
)

// setEnv clears the library's environment variables, and sets the given variables.
func setEnv(t *testing.T, variables map[string]string) {
	t.Helper()
	for _, setting := range definedSettings {
		t.Setenv(setting.variable, "")
	}
	t.Setenv("MERCHANTPAY_PRIVATE_KEY_FILE", "")
	for name, value := range variables {
		t.Setenv(name, value)
	}
}

// samples has valid texts with their values, and invalid texts, for each kind of setting.
var samples = map[string]struct {
	good map[string]any
	bad  []string
}{
	"Text":         {map[string]any{"a b": "a b", " a ": " a "}, []string{"\xff"}},
	"Secret":       {map[string]any{"a": "a"}, []string{"\xff"}},
	"File":         {map[string]any{"/a": "/a"}, []string{"\xff"}},
	"SecretFile":   {map[string]any{"/a": "/a"}, []string{"\xff"}},
	"Texts":        {map[string]any{"a": []string{"a"}, "a, b,,c,": []string{"a", "b", "c"}, ",": []string(nil)}, []string{"\xff"}},
	"Flag":         {map[string]any{"1": true, "0": false}, []string{"yes", "true", "01", "1\r", "\"1\""}},
	"Milliseconds": {map[string]any{"1500": 1500 * time.Millisecond, "4294967295": 4294967295 * time.Millisecond, "0": merchantpay.Never}, []string{"1s", "-1", "1.5", "4294967296", " 1", "SECRET", "30000\r", "'30000'"}},
	"Number":       {map[string]any{"3": 3, "0": merchantpay.NoRetries}, []string{"many", "-1", "4294967296"}},
	"Bytes":        {map[string]any{"1048576": int64(1048576), "9223372036854775807": int64(9223372036854775807)}, []string{"0", "1M", "-1", "9223372036854775808"}},
}

func TestEverySettingIsReadFromItsVariable(t *testing.T) {
	for _, setting := range definedSettings {
		kind, ok := samples[setting.kind]
		if !ok {
			t.Fatalf("%s is of a kind without samples: %s", setting.name, setting.kind)
		}
		for text, wanted := range kind.good {
			setEnv(t, map[string]string{setting.variable: text})
			config, err := merchantpay.ConfigFromEnv()
			if got := settingOf(config, setting.name); err != nil || !reflect.DeepEqual(got, wanted) {
				t.Errorf("%s=%q: %#v in place of %#v, %v", setting.variable, text, got, wanted, err)
			}
		}
		for _, text := range kind.bad {
			setEnv(t, map[string]string{setting.variable: text})
			_, err := merchantpay.ConfigFromEnv()
			wantVariable(t, err, setting.variable, text)
		}
	}
}

// settingOf returns a setting's value; for a list setting, all texts of the list.
func settingOf(config merchantpay.Config, name string) any {
	fields := reflect.ValueOf(config)
	others := fields.FieldByName("Other" + name + "s")
	if !others.IsValid() {
		return fields.FieldByName(name).Interface()
	}
	if fields.FieldByName(name).String() == "" {
		return []string(nil)
	}
	return append([]string{fields.FieldByName(name).String()}, others.Interface().([]string)...)
}

// wantVariable requires an error that names the variable and does not show its value.
func wantVariable(t *testing.T, err error, variable, value string) *merchantpay.Error {
	t.Helper()
	if err == nil {
		t.Fatalf("%s=%q is read", variable, value)
	}
	failure := wantError(t, err, merchantpay.CodeInvalidArgument, merchantpay.OutcomeNotSent)
	if !strings.HasPrefix(failure.Message, variable+" ") || len(value) > 1 && strings.Contains(failure.Message, value) {
		t.Errorf("%s=%q: %v", variable, value, err)
	}
	return failure
}

func TestAnEmptyEnvironmentIsTheZeroConfig(t *testing.T) {
	setEnv(t, nil)
	if config, err := merchantpay.ConfigFromEnv(); err != nil || !reflect.DeepEqual(config, merchantpay.Config{}) {
		t.Errorf("%#v %v", config.BaseURL, err)
	}
}

func TestThePrivateKeyMayBeInAFile(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const file = "MERCHANTPAY_PRIVATE_KEY_FILE"
	key := write("key", "\n KEY-OF-THE-FILE \r\n")
	for _, row := range []struct{ variable, path, wanted string }{
		{"", key, "KEY-OF-THE-FILE"},
		{"KEY", key, "KEY"},
		{"KEY", filepath.Join(folder, "SECRET"), "KEY"},
	} {
		setEnv(t, map[string]string{"MERCHANTPAY_PRIVATE_KEY": row.variable, file: row.path})
		if config, err := merchantpay.ConfigFromEnv(); err != nil || config.PrivateKey != row.wanted {
			t.Errorf("%v: %q %v", row, config.PrivateKey, err)
		}
	}
	for name, path := range map[string]string{
		"no file": filepath.Join(folder, "SECRET"), "a folder": folder, "an empty file": write("SECRET-1", " \n"),
		"a large file": write("SECRET-2", strings.Repeat("x", 70_000)),
	} {
		t.Run(name, func(t *testing.T) {
			setEnv(t, map[string]string{file: path})
			_, err := merchantpay.ConfigFromEnv()
			failure := wantVariable(t, err, file, path)
			if isAbsent := name == "no file"; errors.Is(err, fs.ErrNotExist) != isAbsent {
				t.Errorf("%v", failure.Unwrap())
			}
			var fault *fs.PathError
			if errors.As(err, &fault) {
				t.Errorf("the path is in %v", fault)
			}
		})
	}
}

func TestAClientOfTheEnvironmentWorks(t *testing.T) {
	setEnv(t, sandbox.settings)
	config, err := merchantpay.ConfigFromEnv()
	if err != nil {
		t.Fatal(err)
	}
	client, err := merchantpay.NewClient(config)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if _, err := client.NewPayment(background, request("79001234567")); err != nil {
		t.Error(err)
	}
}

func TestAVerifierOfTheEnvironmentNeedsThePublicKeyOfTheServiceAlone(t *testing.T) {
	const variable = "MERCHANTPAY_SERVER_PUBLIC_KEY"
	setEnv(t, map[string]string{variable: sandbox.settings[variable]})
	config, err := merchantpay.ConfigFromEnv()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := merchantpay.NewWebhookVerifier(config); err != nil {
		t.Error(err)
	}
	if _, err := merchantpay.NewProtocol(config); !errors.Is(err, merchantpay.ErrInvalidArgument) {
		t.Error(err)
	}
	setEnv(t, sandbox.settings)
	if config, err = merchantpay.ConfigFromEnv(); err != nil {
		t.Fatal(err)
	}
	if _, err := merchantpay.NewProtocol(config); err != nil {
		t.Error(err)
	}
}

func TestLeftoversOfAnEnvironmentFileAreNamed(t *testing.T) {
	for _, text := range []string{"1\r", "\"1\"", "'1'"} {
		for _, variable := range []string{"MERCHANTPAY_TIMEOUT_MS", "MERCHANTPAY_ALLOW_HTTP", "MERCHANTPAY_PRIVATE_KEY_FILE"} {
			setEnv(t, map[string]string{variable: text})
			_, err := merchantpay.ConfigFromEnv()
			if err == nil || !strings.Contains(err.Error(), variable) || !strings.Contains(err.Error(), "Windows line ends") && !strings.Contains(err.Error(), "quotes") {
				t.Errorf("%s=%q: %v", variable, text, err)
			}
		}
	}
}
