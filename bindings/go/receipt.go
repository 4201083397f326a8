package merchantpay

import "github.com/merchantpay/merchantpay-go/internal/capi"

// Receipt is one or more receipts for a payment in arbitration (contract, section 4.7).
type Receipt struct {
	// OrderID is needed.
	OrderID string
	// Files are needed: at least one.
	Files []File
}

// File is a receipt on disk or in memory: Path alone, or Name, ContentType and Data.
type File struct {
	// Path is a file on disk. Its type is told by its name (.pdf, .jpg, .jpeg, .png) or else by its first bytes.
	Path string
	// Name is the name of a file in memory.
	Name string
	// ContentType is application/pdf, image/jpeg, image/jpg or image/png (contract, section 8).
	ContentType string
	// Data is the file's bytes. They are copied.
	Data []byte
}

func (r *Receipt) toC() *capi.Receipt {
	receipt := &capi.Receipt{OrderID: r.OrderID, Files: make([]capi.File, len(r.Files))}
	for i, file := range r.Files {
		receipt.Files[i] = capi.File{Path: file.Path, Name: file.Name, ContentType: file.ContentType, Data: file.Data}
	}
	return receipt
}
