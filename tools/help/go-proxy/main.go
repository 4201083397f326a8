// Go-proxy writes modules as a file tree for GOPROXY: go-proxy FOLDER VERSION TIME MODULE… If one of these modules requires
// another, the requirement gets this VERSION. The `replace` lines are left out.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// largest limits the size of a module's zip.
const largest = 10_000_000

func main() {
	if len(os.Args) < 5 {
		fmt.Fprintln(os.Stderr, "usage: go-proxy FOLDER VERSION TIME MODULE…")
		os.Exit(2)
	}
	if err := writeAll(os.Args[1], os.Args[2], os.Args[3], os.Args[4:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func writeAll(proxy, version, timestamp string, folders []string) error {
	released, err := time.Parse(time.RFC3339, timestamp)
	if err != nil {
		return err
	}
	files := make([]*modfile.File, len(folders))
	own := map[string]bool{}
	for i, folder := range folders {
		if files[i], err = read(folder); err != nil {
			return err
		}
		own[files[i].Module.Mod.Path] = true
	}
	for i, folder := range folders {
		if err := release(files[i], own, version); err != nil {
			return err
		}
		text, err := files[i].Format()
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, "go.mod"), text, 0o644); err != nil {
			return err
		}
		made := module.Version{Path: files[i].Module.Mod.Path, Version: version}
		if err := write(proxy, made, released.UTC(), text, folder); err != nil {
			return fmt.Errorf("%s: %w", made, err)
		}
	}
	return nil
}

func read(folder string) (*modfile.File, error) {
	name := filepath.Join(folder, "go.mod")
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return modfile.Parse(name, text, nil)
}

// release changes a go.mod of the sources to the go.mod of a released version.
func release(file *modfile.File, own map[string]bool, version string) error {
	for _, required := range file.Require {
		if own[required.Mod.Path] {
			if err := file.AddRequire(required.Mod.Path, version); err != nil {
				return err
			}
		} else if strings.HasPrefix(required.Mod.Version, "v0.0.0") && !module.IsPseudoVersion(required.Mod.Version) {
			return fmt.Errorf("%s is required, and is not among the modules", required.Mod)
		}
	}
	for _, replaced := range append([]*modfile.Replace{}, file.Replace...) {
		if err := file.DropReplace(replaced.Old.Path, replaced.Old.Version); err != nil {
			return err
		}
	}
	file.Cleanup()
	return nil
}

func write(proxy string, made module.Version, released time.Time, mod []byte, folder string) error {
	escaped, err := module.EscapePath(made.Path)
	if err != nil {
		return err
	}
	versions := filepath.Join(proxy, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(versions, 0o755); err != nil {
		return err
	}
	base := filepath.Join(versions, made.Version)
	info, err := json.Marshal(struct {
		Version string
		Time    time.Time
	}{made.Version, released})
	if err != nil {
		return err
	}
	for name, text := range map[string][]byte{
		base + ".info": info, base + ".mod": mod, filepath.Join(versions, "list"): []byte(made.Version + "\n"),
	} {
		if err := os.WriteFile(name, text, 0o644); err != nil {
			return err
		}
	}
	packed, err := os.Create(base + ".zip")
	if err != nil {
		return err
	}
	if err := zip.CreateFromDir(packed, made, folder); err != nil {
		_ = packed.Close()
		return err
	}
	size, err := packed.Seek(0, io.SeekCurrent)
	if err == nil {
		err = packed.Close()
	}
	if err == nil && size > largest {
		err = fmt.Errorf("its zip has %d bytes, more than %d", size, largest)
	}
	return err
}
