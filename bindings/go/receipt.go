package merchantpay

import (
	"strconv"

	"github.com/merchantpay/merchantpay-go/internal/waist"
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

// String leaves out the path, the name and the bytes, which may be personal data.
func (f File) String() string {
	if f.Path != "" {
		return "receipt file on disk"
	}
	return "receipt file of " + strconv.Itoa(len(f.Data)) + " bytes"
}

// open reads the files. The caller closes the result.
func (r *Receipt) open() (waist.Handle, error) {
	receipt, failure := waist.Library().LibraryReceipt(r.OrderID)
	for _, file := range r.Files {
		if failure != nil {
			break
		}
		switch {
		case file.Path == "":
			failure = receipt.AddBytes(file.Name, file.ContentType, file.Data)
		case file.Name != "" || file.ContentType != "" || file.Data != nil:
			receipt.Close()
			return 0, &Error{
				Code: CodeInvalidArgument, Outcome: OutcomeNotSent, OrderID: r.OrderID,
				Message: "a file has a path, or a name, content type and data: not both",
			}
		default:
			failure = receipt.AddFile(file.Path)
		}
	}
	if failure != nil {
		receipt.Close()
		failure.OrderID = r.OrderID
	}
	return receipt, failed(failure)
}
