// Executes the driver's commands with the package (`ours`) or without it (`peer`). A command is a line with a task and a
// number; the program answers with one line.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"log"
	"os"
)

const keyID = "merchant-1"

var errOther = errors.New("this is not what the server has sent")

func main() {
	if len(os.Args) == 2 && os.Args[1] == "peer" {
		peer()
	} else {
		ours()
	}
}

func setting(name string) string {
	value, found := os.LookupEnv("BENCH_" + name)
	if !found {
		log.Fatalf("BENCH_%s is not set", name)
	}
	return value
}

func exitOn(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func serve(tasks map[string]func() error) {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var task string
		var count int
		_, err := fmt.Sscan(lines.Text(), &task, &count)
		exitOn(err)
		for range count {
			exitOn(tasks[task]())
		}
		fmt.Println("ok")
	}
}
