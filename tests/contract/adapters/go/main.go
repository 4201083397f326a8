// The adapter in Go: reads one command per line from stdin, and writes one result per line to stdout. See
// ../../README.md.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"

	merchantpay "github.com/merchantpay/merchantpay-go"
)

type object = map[string]any

// errCannot is a value that Go cannot express.
type errCannot string

func (e errCannot) Error() string { return string(e) }

var input = bufio.NewReaderSize(os.Stdin, 1<<20)

var constructors = map[string]any{
	"client": merchantpay.NewClient, "protocol": merchantpay.NewProtocol, "verifier": merchantpay.NewWebhookVerifier,
}

// kinds has the objects of the commands that do not name theirs.
var kinds = map[string]string{"prepare": "protocol", "open": "protocol", "verify": "verifier", "explain": "verifier", "call": "client"}

// names has the members of a command that are the arguments of a method, in the method's order. An operation has
// one argument.
var names = map[string]string{
	"verify": "body signature key_id", "explain": "body signature key_id", "receive": "path body signature key_id",
	"pay": "reference request", "pay_async": "reference request", "replace": "reference attempt request", "resolve": "entry resolution note",
	"wait": "reference timeout_ms until", "settle": "limit", "news": "limit", "attention": "limit", "find": "reference",
	"list": "standing limit before", "acknowledge": "key", "confirm": "key", "cancel": "key", "acknowledge_sql": "style",
}

// opened are the open journal, the objects that are closed with it, and the returned entries by number.
var opened struct {
	journal *merchantpay.Journal
	objects []closer
	entries []*merchantpay.Entry
}

type closer interface{ Close() }

// invoke takes the arguments with these names from the command.
func invoke(function reflect.Value, names string, command object) (values []any, err error) {
	given := []reflect.Value{}
	for name, at := strings.Fields(names), 0; at < function.Type().NumIn(); at++ {
		kind := function.Type().In(at)
		if kind == reflect.TypeFor[context.Context]() {
			ctx, end := interruptible(command)
			defer end()
			given = append(given, reflect.ValueOf(ctx))
			continue
		}
		argument, err := argument(kind, name[0], command)
		if err != nil {
			return nil, err
		}
		given, name = append(given, argument), name[1:]
	}
	for _, value := range function.Call(given) {
		if value.Type() == reflect.TypeFor[error]() {
			err, _ = value.Interface().(error)
		} else {
			values = append(values, value.Interface())
		}
	}
	return values, err
}

func method(on any, name string) reflect.Value {
	of := reflect.TypeOf(on)
	for i := range of.NumMethod() {
		if strings.EqualFold(of.Method(i).Name, strings.ReplaceAll(name, "_", "")) {
			return reflect.ValueOf(on).Method(i)
		}
	}
	panic("there is no method " + name)
}

func made(kind string, command object) (closer, error) {
	values, err := invoke(reflect.ValueOf(constructors[kind]), "config", command)
	if err != nil {
		return nil, err
	}
	return values[0].(closer), nil
}

func ask(do string, command object) (values []any, err error) {
	kind := kinds[do]
	if kind == "" {
		kind = text(command["makes"])
	}
	on, err := made(kind, command)
	if err != nil {
		return nil, err
	}
	defer on.Close()
	operation := text(command["operation"])
	switch do {
	case "settings":
		return nil, nil
	case "call":
		for left := number(command["times"], 1); left > 0 && err == nil; left-- {
			values, err = invoke(method(on, operation), "arguments", command)
		}
		return values, err
	case "verify", "explain":
		return invoke(method(on, do), names[do], command)
	}
	request, err := invoke(method(on, "prepare_"+operation), "arguments", command)
	if err != nil || do == "prepare" {
		return request, err
	}
	return invoke(method(request[0], "open_"+operation), "reply", command)
}

func answer(command object) ([]any, error) {
	switch do := text(command["do"]); do {
	case "settings", "prepare", "open", "verify", "explain", "call":
		return ask(do, command)
	case "journal_open":
		command["settings"].(object)["place"] = command["place"]
		values, err := invoke(reflect.ValueOf(merchantpay.OpenJournal), "client settings", command)
		if err == nil {
			opened.journal = values[0].(*merchantpay.Journal)
			opened.objects = append(opened.objects, opened.journal)
		}
		return nil, err
	case "journal_close":
		for i := range opened.objects {
			opened.objects[len(opened.objects)-1-i].Close()
		}
		opened.journal, opened.objects, opened.entries = nil, nil, nil
		return nil, nil
	case "acknowledge_sql":
		return invoke(method(entry(command["entry"]), do), names[do], command)
	default:
		return invoke(method(opened.journal, do), names[do], command)
	}
}

func answered(line []byte) (written object) {
	defer func() {
		if panicked := recover(); panicked != nil {
			written = object{"crash": fmt.Sprint(panicked)}
		}
	}()
	var command object
	if err := json.Unmarshal(line, &command); err != nil {
		return object{"crash": err.Error()}
	}
	values, err := answer(command)
	var failed *merchantpay.Error
	var cannot errCannot
	switch {
	case err == nil:
		return object{"ok": withHeard(command, shown(values))}
	case errors.As(err, &failed):
		return object{"error": withHeard(command, fields(failed))}
	case errors.As(err, &cannot):
		return object{"cannot": string(cannot)}
	default:
		return object{"crash": err.Error()}
	}
}

func main() {
	written := json.NewEncoder(os.Stdout)
	written.SetEscapeHTML(false)
	for line, err := input.ReadBytes('\n'); err == nil; line, err = input.ReadBytes('\n') {
		if err := written.Encode(answered(line)); err != nil {
			panic(err)
		}
	}
}
