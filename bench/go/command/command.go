// Package command reads the driver's settings and executes the driver's commands. A command is a line with a task and a
// number; the program answers with one line.
package command

import (
	"bufio"
	"errors"
	"fmt"
	"log"
	"os"
	"sync"
)

// The key ids of the merchant and of the server.
const (
	KeyID       = "merchant-1"
	ServerKeyID = "service-1"
)

// ErrOther reports that a reply differs from the reply that the bench's server sends.
var ErrOther = errors.New("this is not what the server has sent")

// Setting is one of the driver's settings.
func Setting(name string) string {
	value, found := os.LookupEnv("BENCH_" + name)
	if !found {
		log.Fatalf("BENCH_%s is not set", name)
	}
	return value
}

// CAFile is the file with the CA of the server, or "" if the URL is not https.
func CAFile() string {
	return os.Getenv("BENCH_CA")
}

// Proxy is the URL of an http proxy, or "".
func Proxy() string {
	return os.Getenv("BENCH_PROXY")
}

// Webhook is the webhook's body.
func Webhook() []byte {
	body, err := os.ReadFile(Setting("WEBHOOK"))
	if err != nil {
		log.Fatal(err)
	}
	return body
}

// Serve executes the driver's commands.
func Serve(tasks map[string]func() error) {
	log.SetFlags(0)
	status := tasks["status"]
	if len(os.Args) == 2 && os.Args[1] == "first" {
		end(status())
		return
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var task string
		var count int
		if _, err := fmt.Sscan(lines.Text(), &task, &count); err != nil {
			log.Fatal(err)
		}
		switch work, found := tasks[task]; {
		case task == "threads1":
			byThreads(1, count, status)
		case task == "threads2":
			byThreads(2, count, status)
		case !found:
			log.Fatalf("no such task: %s", task)
		default:
			repeat(count, work)
		}
		fmt.Println("ok")
	}
}

func repeat(count int, work func() error) {
	for range count {
		end(work())
	}
}

func byThreads(threads, hundreds int, work func() error) {
	var running sync.WaitGroup
	for range threads {
		running.Add(1)
		go func() {
			defer running.Done()
			repeat(hundreds*100/threads, work)
		}()
	}
	running.Wait()
}

func end(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
