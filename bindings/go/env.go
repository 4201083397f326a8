package merchantpay

import (
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// environment reads settings from the environment, and keeps the first fault. No fault has a value in it.
type environment struct{ err error }

func (e *environment) fail(message string, cause error) {
	if e.err == nil {
		e.err = &Error{Code: CodeInvalidArgument, Outcome: OutcomeNotSent, Message: message, cause: cause}
	}
}

func (e *environment) text(variable string) string {
	text := os.Getenv(variable)
	if !utf8.ValidString(text) {
		e.fail(variable+" is not UTF-8", nil)
	}
	return text
}

func (e *environment) texts(variable string) []string {
	var texts []string
	for text := range strings.SplitSeq(e.text(variable), ",") {
		if text = strings.TrimSpace(text); text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// rotated is the first of several texts, and the others.
func (e *environment) rotated(variable string) (first string, others []string) {
	texts := e.texts(variable)
	if len(texts) == 0 {
		return "", nil
	}
	return texts[0], texts[1:]
}

func (e *environment) flag(variable string) bool {
	switch e.text(variable) {
	case "", "0":
		return false
	case "1":
		return true
	default:
		e.fail(variable+" must be 1 or 0", nil)
		return false
	}
}

// whole is a number from least to most; ok is false where there is none.
func (e *environment) whole(variable string, least, most uint64) (number uint64, ok bool) {
	text := e.text(variable)
	if text == "" {
		return 0, false
	}
	number, err := strconv.ParseUint(text, 10, 64)
	if err != nil || number < least || number > most {
		e.fail(variable+" must be a whole number from "+strconv.FormatUint(least, 10)+" to "+strconv.FormatUint(most, 10), nil)
		return 0, false
	}
	return number, true
}

func (e *environment) milliseconds(variable string) time.Duration {
	number, ok := e.whole(variable, 0, math.MaxUint32)
	if ok && number == 0 {
		return Never
	}
	return time.Duration(number) * time.Millisecond
}

func (e *environment) number(variable string) int {
	number, ok := e.whole(variable, 0, min(math.MaxUint32, math.MaxInt))
	if ok && number == 0 {
		return NoRetries
	}
	return int(number)
}

func (e *environment) bytes(variable string) int64 {
	number, _ := e.whole(variable, 1, math.MaxInt64)
	return int64(number)
}

// privateKey is the variable's text, or that of the file that the variable with _FILE behind it names.
func (e *environment) privateKey(variable string) string {
	if key := e.text(variable); key != "" {
		return key
	}
	variable += "_FILE"
	path := e.text(variable)
	if path == "" {
		return ""
	}
	text, err := readKeyFile(path)
	if err != nil {
		e.fail(variable+" names a file that cannot be read: "+err.Error(), err)
	} else if text == "" {
		e.fail(variable+" names a file that is empty", nil)
	}
	return text
}

// largestKeyFile is more than any key and the white space around it.
const largestKeyFile = 64 * 1024

// readKeyFile is a file's text without the white space around it. The path is in no error.
func readKeyFile(path string) (string, error) {
	text, err := readUpTo(path, largestKeyFile)
	var fault *fs.PathError
	if errors.As(err, &fault) {
		return "", fault.Err
	}
	return strings.TrimSpace(string(text)), err
}

func readUpTo(path string, most int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(text)) > most {
		err = errors.New("it is larger than a key")
	}
	return text, err
}
