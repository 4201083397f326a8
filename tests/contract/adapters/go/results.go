package main

import (
	"database/sql"
	"encoding/hex"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	merchantpay "github.com/merchantpay/merchantpay-go"
)

func shown(results []any) object {
	if len(results) == 0 {
		return object{}
	}
	switch result := results[0].(type) {
	case string:
		if len(results) == 2 {
			return object{"text": result, "parameters": parameters(results[1].([]any))}
		}
		return object{"payment": object{"order_id": result}}
	case bool:
		return object{"changed": result}
	case *merchantpay.Payment:
		known := result.Status.Number() != 0
		return object{"payment": fields(result), "final": result.IsFinal(), "known": known, "json": string(result.JSON)}
	case *merchantpay.Event:
		event := shown([]any{result.Payment})
		event["kind"] = result.Kind.String()
		return event
	case *merchantpay.AvailableAmounts:
		amounts := plain(reflect.ValueOf(result.AvailableAmounts))
		return object{"amounts": amounts, "other_amounts_possible": result.OtherAmountsPossible, "json": string(result.JSON)}
	case *merchantpay.Explanation:
		if result == nil {
			return object{"cause": ""}
		}
		return fields(result)
	case *merchantpay.HTTPRequest:
		headers := [][2]string{}
		for name, values := range result.Header {
			headers = append(headers, [2]string{name, values[0]})
		}
		return object{"url": result.URL, "headers": headers, "body": hex.EncodeToString(result.Body)}
	case *merchantpay.Entry:
		return object{"entry": kept(result)}
	case []*merchantpay.Entry:
		entries := []any{}
		for _, entry := range result {
			entries = append(entries, kept(entry))
		}
		return object{"entries": entries}
	case merchantpay.Received:
		received := object{"entry": kept(result.Entry), "http_status": result.HTTPStatus}
		if result.Err != nil {
			received["error"] = fields(result.Err)
		}
		return received
	case merchantpay.Settled:
		settled := object{"done": result.Done}
		if result.NextDue != merchantpay.Never {
			settled["next_due_ms"] = result.NextDue.Milliseconds()
		}
		return settled
	case *merchantpay.Stats:
		return object{"stats": fields(result)}
	}
	panic(fmt.Sprintf("a result of the type %T", results[0]))
}

func parameters(of []any) any {
	names := object{}
	for _, parameter := range of {
		parameter, ok := parameter.(sql.NamedArg)
		if !ok {
			return of
		}
		names[parameter.Name] = parameter.Value
	}
	return names
}

// kept keeps the entry for later commands.
func kept(entry *merchantpay.Entry) any {
	if entry == nil {
		return nil
	}
	opened.entries = append(opened.entries, entry)
	return object{"entry": len(opened.entries) - 1, "fields": fields(entry), "json": string(entry.JSON)}
}

var capitals = regexp.MustCompile("([a-z])([A-Z])|([A-Z])([A-Z][a-z])")

// fields has the present fields by their names in snake case, except the field JSON.
func fields(structure any) object {
	shown, of := object{}, reflect.Indirect(reflect.ValueOf(structure))
	for i := range of.NumField() {
		field := of.Type().Field(i)
		if !field.IsExported() || field.Name == "JSON" {
			continue
		}
		name := strings.ToLower(capitals.ReplaceAllString(field.Name, "${1}${3}_${2}${4}"))
		if field.Type == reflect.TypeFor[time.Duration]() {
			name += "_ms"
		}
		if value := plain(of.Field(i)); value != nil {
			shown[name] = value
		}
	}
	if failed, ok := structure.(*merchantpay.Error); ok {
		shown["is_transient"] = failed.IsTransient()
	}
	return shown
}

// plain is the value as encoding/json writes it, or nil if it is absent.
func plain(value reflect.Value) any {
	kind := value.Kind()
	switch of := value.Interface().(type) {
	case bool, int64: // An entry's news are 0 before its first ones.
		return of
	case decimal.Decimal:
		if text := merchantpay.AmountText(of); text != "" {
			return text
		}
		return nil
	case []byte:
		if of != nil {
			return hex.EncodeToString(of)
		}
		return nil
	case time.Time:
		if !of.IsZero() {
			return of.UnixMilli()
		}
		return nil
	}
	switch {
	case kind == reflect.Slice:
		list := []any{}
		for i := range value.Len() {
			list = append(list, plain(value.Index(i)))
		}
		return list
	case value.IsZero():
		return nil
	case kind == reflect.Pointer:
		return fields(value.Interface())
	case kind == reflect.Int64:
		return value.Interface().(time.Duration).Milliseconds()
	case kind == reflect.Int32:
		return fmt.Sprint(value)
	default:
		return value.Interface()
	}
}
