package merchantpay

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strconv"

	"github.com/merchantpay/merchantpay-go/internal/capi"
)

// Receipt is one or more receipts for a payment in arbitration (contract, section 4.7).
type Receipt struct {
	// OrderID is required.
	OrderID string
	// Files are the receipts: at least one.
	Files []File
}

// File is a receipt on disk or in memory: either Path, or Name, ContentType and Data.
type File struct {
	// Path is a file on disk: a PDF, JPEG or PNG by its first bytes, whatever its name is.
	Path string
	// Name is the name of a file in memory.
	Name string
	// ContentType is application/pdf, image/jpeg, image/jpg or image/png (contract, section 8): the one of Data.
	ContentType string
	// Data is the file's bytes. They are copied.
	Data []byte
}

// String leaves out the files.
func (r Receipt) String() string {
	return "receipt of order " + r.OrderID + ", files: " + strconv.Itoa(len(r.Files))
}

// Format writes the text of String for every verb.
func (r Receipt) Format(state fmt.State, _ rune) { _, _ = state.Write([]byte(r.String())) }

// LogValue leaves out the values that String leaves out.
func (r Receipt) LogValue() slog.Value { return slog.StringValue(r.String()) }

// MarshalJSON writes the text of String: this JSON is for logs, not for storing receipts.
func (r Receipt) MarshalJSON() ([]byte, error) { return json.Marshal(r.String()) }

// String leaves out the path, the name and the bytes, which may be personal data.
func (f File) String() string {
	if f.Path != "" {
		return "receipt file on disk"
	}
	return "receipt file of " + strconv.Itoa(len(f.Data)) + " bytes"
}

// Format writes the text of String for every verb.
func (f File) Format(state fmt.State, _ rune) { _, _ = state.Write([]byte(f.String())) }

// LogValue leaves out the values that String leaves out.
func (f File) LogValue() slog.Value { return slog.StringValue(f.String()) }

// MarshalJSON writes the text of String: this JSON is for logs, not for storing files.
func (f File) MarshalJSON() ([]byte, error) { return json.Marshal(f.String()) }

func (r *Receipt) toC() *capi.Receipt {
	receipt := &capi.Receipt{OrderID: r.OrderID, Files: make([]capi.File, len(r.Files))}
	for i, file := range r.Files {
		receipt.Files[i] = capi.File{Path: file.Path, Name: file.Name, ContentType: file.ContentType, Data: file.Data}
	}
	return receipt
}
