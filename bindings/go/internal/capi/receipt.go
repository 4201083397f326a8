package capi

// #include "bridge.h"
import "C"

// File is a receipt on disk (Path) or in memory.
type File struct {
	Path              string
	Name, ContentType string
	Data              []byte
}

// Receipt is one or more receipts for a payment in arbitration.
type Receipt struct {
	OrderID string
	Files   []File
}

// OpenReceipt is a receipt whose files have been read.
type OpenReceipt struct{ handle *C.mpay_receipt }

// Open reads the files. The caller frees the result.
func (r *Receipt) Open() (*OpenReceipt, *Error) {
	handle, err := r.open()
	if err != nil {
		return nil, err
	}
	return &OpenReceipt{handle}, nil
}

// Free frees the receipt.
func (r *OpenReceipt) Free() { C.mpay_receipt_free(r.handle) }

// open converts the receipt to a C object, and reads the files now. The caller frees the object.
func (r *Receipt) open() (*C.mpay_receipt, *Error) {
	id, err := newText("OrderID", r.OrderID)
	if err != nil {
		return nil, err
	}
	handle := C.mpay_receipt_new(id.pointer())
	for i := range r.Files {
		if err := r.Files[i].add(handle); err != nil {
			C.mpay_receipt_free(handle)
			err.OrderID = r.OrderID // If Go and not C refused the file, the error lacks the order id.
			return nil, err
		}
	}
	return handle, nil
}

func (f *File) add(receipt *C.mpay_receipt) *Error {
	if f.Path != "" {
		path, err := newText("path", f.Path)
		if err != nil {
			return err
		}
		if f.Name != "" || f.ContentType != "" || f.Data != nil {
			return Invalid("a file has a path, or a name, content type and data: not both")
		}
		if failure := C.bridge_receipt_add_file(receipt, path.pointer()); failure != nil {
			return takeError(failure)
		}
		return nil
	}
	name, err := newText("file name", f.Name)
	if err != nil {
		return err
	}
	contentType, err := newText("content type", f.ContentType)
	if err != nil {
		return err
	}
	failure := C.bridge_receipt_add_bytes(receipt, name.pointer(), contentType.pointer(), bytesPointer(f.Data), C.size_t(len(f.Data)))
	if failure != nil {
		return takeError(failure)
	}
	return nil
}
