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

// environment reads settings from the environment and keeps the first error. Errors contain no value.
type environment struct{ err error }

func (e *environment) fail(message string, cause error) {
	if e.err == nil {
		e.err = &Error{Code: CodeInvalidArgument, Outcome: OutcomeNotSent, Message: message, cause: cause}
	}
}

// read reads a variable into a field of Config. An empty variable is treated as absent.
func (e *environment) read(variable string, into any) {
	text := os.Getenv(variable)
	if text == "" {
		return
	}
	if !utf8.ValidString(text) {
		e.fail(variable+" is not UTF-8", nil)
	}
	switch into.(type) {
	case *string, *[]string: // The library checks texts.
	default:
		if fault := leftover(text); fault != "" {
			e.fail(variable+fault, nil)
			return
		}
	}
	switch into := into.(type) {
	case *string:
		*into = text
	case *[]string:
		for text := range strings.SplitSeq(text, ",") {
			if text = strings.TrimSpace(text); text != "" {
				*into = append(*into, text)
			}
		}
	case *bool:
		*into = text == "1"
		if !*into && text != "0" {
			e.fail(variable+" must be 1 or 0", nil)
		}
	case *time.Duration:
		*into = Never
		if number := e.number(variable, text, 0, math.MaxUint32); number > 0 {
			*into = time.Duration(number) * time.Millisecond
		}
	case *int:
		*into = NoRetries
		if number := e.number(variable, text, 0, min(math.MaxUint32, math.MaxInt)); number > 0 {
			*into = int(number)
		}
	case *int64:
		*into = e.number(variable, text, 1, math.MaxInt64)
	}
}

// leftover returns what an environment file left in a value, in words that follow the variable's name.
func leftover(text string) string {
	first, last := text[0], text[len(text)-1]
	switch {
	case last == '\r':
		return " ends with CR: the file has Windows line ends"
	case len(text) > 1 && first == last && (first == '"' || first == '\''):
		return " is wrapped in quotes; remove them"
	default:
		return ""
	}
}

func (e *environment) number(variable, text string, least, most int64) int64 {
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil || number < least || number > most {
		e.fail(variable+" must be a whole number from "+strconv.FormatInt(least, 10)+" to "+strconv.FormatInt(most, 10), nil)
	}
	return number
}

// rotated reads a list of texts into two fields: the first text into one field, and the rest into the other.
func (e *environment) rotated(variable string, first *string, others *[]string) {
	if e.read(variable, others); len(*others) > 0 {
		*first, *others = (*others)[0], (*others)[1:]
	}
}

// privateKey reads the key from the variable. If the variable is empty, privateKey reads the key from the file
// that the variable with the suffix _FILE names.
func (e *environment) privateKey(variable string, into *string) {
	var path string
	if e.read(variable, into); *into == "" {
		variable += "_FILE"
		e.read(variable, &path)
	}
	if path == "" {
		return
	}
	if fault := leftover(path); fault != "" {
		e.fail(variable+fault, nil)
		return
	}
	text, err := readKeyFile(path)
	*into = strings.TrimSpace(string(text))
	var fault *fs.PathError
	switch {
	case errors.As(err, &fault): // The text of err contains the path, so only the cause is used.
		e.fail(variable+" names a file that cannot be read: "+fault.Err.Error(), fault.Err)
	case err != nil:
		e.fail(variable+" names a file that cannot be read: "+err.Error(), err)
	case *into == "":
		e.fail(variable+" names a file that is empty", nil)
	}
}

// largestKeyFile limits the size of a key file. Every valid key file is smaller.
const largestKeyFile = 64 * 1024

func readKeyFile(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(file, largestKeyFile+1))
	if len(text) > largestKeyFile {
		return nil, errors.New("it is larger than a key")
	}
	return text, err
}
