package capi

// #include "journal.h"
import "C"

// Stats calls mpay_journal_stats. It returns the JSON of mpay_stats_json.
func (c JournalCall) Stats() (string, *Error) {
	var stats *C.mpay_stats
	if failure := C.bridge_journal_stats(c.handle, c.data(), &stats); failure != nil {
		return "", takeError(failure)
	}
	defer C.mpay_stats_free(stats)
	return C.GoString(C.mpay_stats_json(stats)), nil
}

// Purge calls mpay_journal_purge.
func (c JournalCall) Purge(beforeMS int64) (uint64, *Error) {
	return countedOr(C.bridge_journal_purge(c.handle, c.data(), C.int64_t(beforeMS)))
}

// Forget calls mpay_journal_forget.
func (c JournalCall) Forget(reference string) (uint64, *Error) {
	of, err := newText("reference", reference)
	if err != nil {
		return 0, err
	}
	return countedOr(C.bridge_journal_forget(c.handle, c.data(), of.pointer()))
}

func countedOr(counted C.struct_bridge_counted) (uint64, *Error) {
	if counted.failure != nil {
		return 0, takeError(counted.failure)
	}
	return uint64(counted.count), nil
}

// Export calls isWanted with each line of mpay_journal_export, until isWanted returns false.
func (c JournalCall) Export(isWanted func(line string) bool) *Error {
	var lines *C.mpay_export
	if failure := C.bridge_journal_export(c.handle, c.data(), &lines); failure != nil {
		return takeError(failure)
	}
	defer C.mpay_export_free(lines)
	for {
		if failure := C.bridge_export_next(lines, c.data()); failure != nil {
			return takeError(failure)
		}
		line := C.mpay_export_line(lines)
		if line == nil || !isWanted(C.GoString(line)) {
			return nil
		}
	}
}

// Import calls mpay_journal_import.
func (c JournalCall) Import(line string) (imported bool, err *Error) {
	text, err := newText("line", line)
	if err != nil {
		return false, err
	}
	var stored C.int32_t
	if failure := C.bridge_journal_import(c.handle, c.data(), text.pointer(), &stored); failure != nil {
		return false, takeError(failure)
	}
	return stored != 0, nil
}

// Pause calls mpay_journal_pause.
func (c JournalCall) Pause(note string) *Error { return c.operate(C.BRIDGE_PAUSE, "note", note) }

// Resume calls mpay_journal_resume.
func (c JournalCall) Resume(note string) *Error { return c.operate(C.BRIDGE_RESUME, "note", note) }

// Backup calls mpay_journal_backup.
func (c JournalCall) Backup(file string) *Error { return c.operate(C.BRIDGE_BACKUP, "file", file) }

func (c JournalCall) operate(what C.int32_t, name, given string) *Error {
	text, err := newText(name, given)
	if err != nil {
		return err
	}
	return errorOr(C.bridge_journal_operate(c.handle, c.data(), what, text.pointer()))
}
