package main

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	merchantpay "github.com/merchantpay/merchantpay-go"
)

const errUnset = errCannot("a value that is empty or 0")

// optional has the names of the fields that can be absent. An empty field is treated as absent.
var optional = map[string]bool{
	"currency": true, "payer_bank": true, "merchant_id": true, "status_webhook_url": true, "sum_drift_up": true, "sum_drift_down": true,
}

// unhex panics if the text is not hex.
func unhex(value any) []byte {
	bytes, err := hex.DecodeString(text(value))
	if err != nil {
		panic(err)
	}
	return bytes
}

// text may return invalid UTF-8.
func text(value any) string {
	if bytes, ok := value.(object); ok {
		return string(unhex(bytes["hex"]))
	}
	text, _ := value.(string)
	return text
}

func number(value any, otherwise int) int {
	if number, ok := value.(float64); ok {
		return int(number)
	}
	return otherwise
}

func entry(number any) *merchantpay.Entry {
	if number, ok := number.(float64); ok {
		return opened.entries[int(number)]
	}
	return nil
}

// argument takes it from the command's member with this name.
func argument(kind reflect.Type, name string, command object) (argument reflect.Value, err error) {
	value := command[name]
	argument = reflect.New(kind).Elem()
	switch to := argument.Addr().Interface().(type) {
	case *string:
		if *to = text(value); name == "arguments" {
			*to = text(value.(object)["order_id"])
		}
	case *[]byte:
		*to = unhex(value)
	case *int:
		*to = number(value, 100)
	case *time.Duration:
		*to = time.Duration(number(value, 0)) * time.Millisecond
	case **merchantpay.Entry:
		if *to = entry(value); name == "key" {
			*to = key(command)
		}
	case **merchantpay.Client:
		client, err := made("client", object{"settings": value})
		if err != nil {
			return argument, err
		}
		*to = client.(*merchantpay.Client)
		opened.objects = append(opened.objects, client)
	case *merchantpay.Resolution:
		*to, err = resolution(command)
	case *merchantpay.HTTPResponse:
		reply := value.(object)
		*to = merchantpay.HTTPResponse{Status: number(reply["status"], 0), Header: http.Header{}, Body: unhex(reply["body"])}
		for _, pair := range reply["headers"].([]any) {
			name := text(pair.([]any)[0])
			to.Header[name] = append(to.Header[name], text(pair.([]any)[1]))
		}
	case *merchantpay.Config:
		if command["from_environment"] == true {
			if *to, err = merchantpay.ConfigFromEnv(); err != nil {
				return argument, err
			}
		}
		settings, _ := command["settings"].(object)
		err = fill(argument, settings)
		setCallbacks(to, command)
	case fmt.Stringer:
		if kind.Kind() != reflect.Int32 {
			return argument, fill(argument, value.(object))
		}
		// The word with this name, if there is one.
		for word := int64(9); word > 0 && to.String() != value; word-- {
			argument.SetInt(word - 1)
		}
	}
	return argument, err
}

// key returns the entry of a command, by its number or made of its values.
func key(command object) *merchantpay.Entry {
	if entry := entry(command["entry"]); entry != nil {
		return entry
	}
	return &merchantpay.Entry{
		Reference: text(command["reference"]), Attempt: number(command["attempt"], 0), News: int64(number(command["news"], 0)),
	}
}

var decisions = map[string]merchantpay.Resolution{
	"seen": merchantpay.Seen, "no_payment": merchantpay.NoPayment, "trusted": merchantpay.Trusted,
}

func resolution(command object) (merchantpay.Resolution, error) {
	for name, decision := range decisions {
		if command[name] == true {
			return decision, nil
		}
	}
	if command["sum"] == nil {
		return merchantpay.IsOrder(text(command["order_id"])), nil
	}
	sum, err := amount(text(command["sum"]))
	return merchantpay.IsOrderWithSum(text(command["order_id"]), sum), err
}

// fill takes names in snake case.
func fill(fields reflect.Value, values object) error {
	named := func(name string) reflect.Value {
		wanted := strings.ReplaceAll(name, "_", "")
		return fields.FieldByNameFunc(func(name string) bool {
			return strings.EqualFold(name, wanted) || strings.EqualFold(name+"ms", wanted)
		})
	}
	for name, value := range values {
		if name == "max_retries" && value == "0" {
			value = strconv.Itoa(merchantpay.NoRetries)
		}
		list, _ := value.([]any)
		if others := named("other_" + name + "s"); others.IsValid() && len(list) > 0 {
			// The first value has a field of its own.
			if err := set(others, list[1:]); err != nil {
				return err
			}
			value = list[0]
		}
		if err := set(named(name), value); err != nil && value != "" {
			return err
		} else if value == "" && optional[name] {
			return errUnset
		}
	}
	return nil
}

// set takes a text, an object or a list of them.
func set(field reflect.Value, value any) (err error) {
	given := text(value)
	number := func() (number int64) {
		number, err = strconv.ParseInt(given, 10, 64)
		return number
	}
	switch to := field.Addr().Interface().(type) {
	case *decimal.Decimal:
		*to, err = amount(given)
	case *time.Duration:
		if *to = time.Duration(number()) * time.Millisecond; *to == 0 {
			*to = merchantpay.Never
		}
	case *bool:
		*to = given == "1"
	case *int, *int64:
		if field.SetInt(number()); field.IsZero() && err == nil {
			return errUnset
		}
	case *[]byte:
		*to = unhex(value)
	case *[]string, *[]merchantpay.File:
		list := value.([]any)
		field.Set(reflect.MakeSlice(field.Type(), len(list), len(list)))
		for i := 0; i < len(list) && err == nil; i++ {
			err = set(field.Index(i), list[i])
		}
	case *merchantpay.File:
		return fill(field, value.(object))
	default:
		texts := []string{given}
		if list, ok := value.([]any); ok { // A list of names is one text.
			texts = make([]string, len(list))
			for i, one := range list {
				texts[i] = text(one)
			}
		}
		field.SetString(strings.Join(texts, ","))
	}
	return err
}

// amount reads a decimal from the text of a JSON number. The package decimal has its own tests for other texts.
func amount(text string) (decimal.Decimal, error) {
	amount, err := decimal.NewFromString(text)
	if err != nil || !json.Valid([]byte(text)) {
		return amount, errCannot("an amount that is no decimal")
	}
	return amount, nil
}
