// The adapter in Go: reads one command per line from stdin, and writes one result per line to stdout. See
// ../../README.md.
package main

import (
	"bufio"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"

	"github.com/shopspring/decimal"

	merchantpay "github.com/merchantpay/merchantpay-go"
)

var background = context.Background()

// object is a JSON object.
type object = map[string]any

// errCannot is a value that Go cannot express.
type errCannot string

func (e errCannot) Error() string { return string(e) }

// unhex returns the bytes of hex digits. It panics if the text is not hex.
func unhex(value any) []byte {
	bytes, err := hex.DecodeString(text(value))
	if err != nil {
		panic(err)
	}
	return bytes
}

// text returns the text of a command's value. The text may be invalid UTF-8.
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

func config(settings any) (config merchantpay.Config, err error) {
	given, _ := settings.(object)
	// If a setting has several values, the first value has its own field in the Config.
	rotated := object{}
	for name, value := range given {
		rotated[name] = value
		if list, ok := value.([]any); ok && (name == "server_public_key" || name == "server_key_id") && len(list) > 0 {
			rotated[name], rotated["other_"+name+"s"] = list[0], list[1:]
		}
	}
	return config, fill(&config, rotated)
}

func receipt(arguments object) (receipt merchantpay.Receipt) {
	receipt.OrderID = text(arguments["order_id"])
	files, _ := arguments["files"].([]any)
	for _, file := range files {
		file := file.(object)
		added := merchantpay.File{Path: text(file["path"]), Name: text(file["name"]), ContentType: text(file["content_type"])}
		if added.Path == "" {
			added.Data = unhex(file["data"])
		}
		receipt.Files = append(receipt.Files, added)
	}
	return receipt
}

func prepare(command object) (*merchantpay.HTTPRequest, error) {
	settings, err := config(command["settings"])
	if err != nil {
		return nil, err
	}
	protocol, err := merchantpay.NewProtocol(settings)
	if err != nil {
		return nil, err
	}
	defer protocol.Close()
	arguments, _ := command["arguments"].(object)
	switch command["operation"] {
	case "get_available_amounts":
		return with(arguments, protocol.PrepareGetAvailableAmounts)
	case "new_payment":
		return with(arguments, protocol.PrepareNewPayment)
	case "new_payment_async":
		return with(arguments, protocol.PrepareNewPaymentAsync)
	case "attach_receipt":
		return protocol.PrepareAttachReceipt(receipt(arguments))
	case "confirm":
		return protocol.PrepareConfirm(text(arguments["order_id"]))
	case "cancel":
		return protocol.PrepareCancel(text(arguments["order_id"]))
	default:
		return protocol.PrepareGetStatus(text(arguments["order_id"]))
	}
}

// with makes a call whose argument is a structure.
func with[Request, Result any](arguments object, call func(Request) (Result, error)) (Result, error) {
	var request Request
	if err := fill(&request, arguments); err != nil {
		var nothing Result
		return nothing, err
	}
	return call(request)
}

func prepared(command object) (object, error) {
	request, err := prepare(command)
	if err != nil {
		return nil, err
	}
	headers := [][2]string{}
	for name, values := range request.Header {
		for _, value := range values {
			headers = append(headers, [2]string{name, value})
		}
	}
	return object{"url": request.URL, "headers": headers, "body": fmt.Sprintf("%x", request.Body)}, nil
}

func open(command object) (object, error) {
	request, err := prepare(command)
	if err != nil {
		return nil, err
	}
	reply := command["reply"].(object)
	response := merchantpay.HTTPResponse{Status: number(reply["status"], 0), Header: http.Header{}, Body: unhex(reply["body"])}
	for _, pair := range reply["headers"].([]any) {
		pair := pair.([]any)
		response.Header[text(pair[0])] = append(response.Header[text(pair[0])], text(pair[1]))
	}
	switch command["operation"] {
	case "get_available_amounts":
		return amounts(request.OpenGetAvailableAmounts(response))
	case "new_payment":
		return payment(request.OpenNewPayment(response))
	case "new_payment_async":
		return order(request.OpenNewPaymentAsync(response))
	case "attach_receipt":
		return object{}, request.OpenAttachReceipt(response)
	case "confirm":
		return object{}, request.OpenConfirm(response)
	case "cancel":
		return object{}, request.OpenCancel(response)
	default:
		return payment(request.OpenGetStatus(response))
	}
}

func call(client *merchantpay.Client, operation string, arguments object) (object, error) {
	switch operation {
	case "get_available_amounts":
		return amounts(with(arguments, func(asked merchantpay.AmountsRequest) (*merchantpay.AvailableAmounts, error) {
			return client.GetAvailableAmounts(background, asked)
		}))
	case "new_payment":
		return payment(with(arguments, func(asked merchantpay.PaymentRequest) (*merchantpay.Payment, error) {
			return client.NewPayment(background, asked)
		}))
	case "new_payment_async":
		return order(with(arguments, func(asked merchantpay.PaymentRequest) (string, error) {
			return client.NewPaymentAsync(background, asked)
		}))
	case "attach_receipt":
		return object{}, client.AttachReceipt(background, receipt(arguments))
	case "confirm":
		return object{}, client.Confirm(background, text(arguments["order_id"]))
	case "cancel":
		return object{}, client.Cancel(background, text(arguments["order_id"]))
	default:
		return payment(client.GetStatus(background, text(arguments["order_id"])))
	}
}

func amounts(amounts *merchantpay.AvailableAmounts, err error) (object, error) {
	if err != nil {
		return nil, err
	}
	texts := make([]string, len(amounts.AvailableAmounts))
	for i, amount := range amounts.AvailableAmounts {
		texts[i] = merchantpay.AmountText(amount)
	}
	return object{"amounts": texts, "other_amounts_possible": amounts.OtherAmountsPossible, "json": string(amounts.JSON)}, nil
}

var known = map[merchantpay.Status]bool{
	merchantpay.StatusFree: true, merchantpay.StatusPending: true, merchantpay.StatusReceiptRequired: true,
	merchantpay.StatusDoneSuccess: true, merchantpay.StatusDoneFail: true, merchantpay.StatusArbitrageCancelledByMerchant: true,
}

func payment(payment *merchantpay.Payment, err error) (object, error) {
	if err != nil {
		return nil, err
	}
	return object{
		"payment": fields(payment), "final": payment.IsFinal(), "known": known[payment.Status], "json": string(payment.JSON),
	}, nil
}

func order(id string, err error) (object, error) {
	return object{"payment": object{"order_id": id}}, err
}

func verify(command object) (object, error) {
	settings, err := config(command["settings"])
	if err != nil {
		return nil, err
	}
	verifier, err := merchantpay.NewWebhookVerifier(settings)
	if err != nil {
		return nil, err
	}
	defer verifier.Close()
	event, err := verifier.Verify(unhex(command["body"]), text(command["signature"]), text(command["key_id"]))
	if err != nil {
		return nil, err
	}
	shown, err := payment(event.Payment, nil)
	shown["kind"] = event.Kind.String()
	return shown, err
}

func explain(command object) (object, error) {
	settings, err := config(command["settings"])
	if err != nil {
		return nil, err
	}
	verifier, err := merchantpay.NewWebhookVerifier(settings)
	if err != nil {
		return nil, err
	}
	defer verifier.Close()
	explanation, err := verifier.Explain(unhex(command["body"]), text(command["signature"]), text(command["key_id"]))
	if err != nil || explanation == nil {
		return object{"cause": ""}, err
	}
	return object{"cause": explanation.Cause.String(), "hint": explanation.Hint}, nil
}

func makeOf(command object) error {
	settings, err := config(command["settings"])
	if err != nil {
		return err
	}
	if command["makes"] == "protocol" {
		_, err = merchantpay.NewProtocol(settings)
	} else {
		_, err = merchantpay.NewWebhookVerifier(settings)
	}
	return err
}

func answer(command object) (result object, err error) {
	switch command["do"] {
	case "settings":
		return object{}, makeOf(command)
	case "prepare":
		return prepared(command)
	case "open":
		return open(command)
	case "verify":
		return verify(command)
	case "explain":
		return explain(command)
	case "call":
		settings, err := config(command["settings"])
		if err != nil {
			return nil, err
		}
		client, err := merchantpay.NewClient(settings)
		if err != nil {
			return nil, err
		}
		defer client.Close()
		for left := number(command["times"], 1); left > 0 && err == nil; left-- {
			result, err = call(client, text(command["operation"]), command["arguments"].(object))
		}
		return result, err
	default:
		return journal.answer(command)
	}
}

// failure returns the fields of an error.
func failure(of *merchantpay.Error) object {
	shown := fields(of)
	shown["is_transient"] = of.IsTransient()
	delete(shown, "message")
	delete(shown, "retry_after")
	if of.RetryAfter != 0 {
		shown["retry_after_ms"] = of.RetryAfter.Milliseconds()
	}
	return shown
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
	result, err := answer(command)
	var failed *merchantpay.Error
	var cannot errCannot
	switch {
	case err == nil:
		return object{"ok": result}
	case errors.As(err, &failed):
		return object{"error": failure(failed)}
	case errors.As(err, &cannot):
		return object{"cannot": string(cannot)}
	default:
		return object{"crash": err.Error()}
	}
}

func main() {
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		written := json.NewEncoder(os.Stdout)
		written.SetEscapeHTML(false)
		if err := written.Encode(answered(line)); err != nil {
			panic(err)
		}
	}
}

// amount reads a decimal from the text of a JSON number. The package decimal has its own tests for other texts.
func amount(text string) (decimal.Decimal, error) {
	amount, err := decimal.NewFromString(text)
	if err != nil || !json.Valid([]byte(text)) {
		return amount, errCannot("an amount that is no decimal")
	}
	return amount, nil
}

func digits(text string) (int64, error) {
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, errCannot("a number is a number")
	}
	return number, nil
}
