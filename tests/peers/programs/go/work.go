package main

/*
#include <stdlib.h>
#include <string.h>

static unsigned long fill(int pieces) {
    unsigned long sum = 0;
    char **all = malloc(pieces * sizeof *all);
    for (int i = 0; i < pieces; ++i) {
        all[i] = calloc(1, i % 500 + 1);
        memset(all[i], i, i % 500 + 1);
    }
    for (int i = 0; i < pieces; ++i) {
        all[i] = realloc(all[i], i % 700 + 1);
        sum += (unsigned char)all[i][0];
        free(all[i]);
    }
    free(all);
    return sum;
}
*/
import "C"

import (
	"crypto/sha256"
	"fmt"
	"os/exec"
	"sort"
	"strings"
	"sync"
	"unsafe"
)

func one(seed int) string {
	words := map[string]int{}
	for i := 0; i < 50000; i++ {
		words[strings.Repeat(string(rune('a'+(i*seed)%26)), i%17)] += i
	}
	sum := uint64(0)
	for i := 0; i < 20; i++ {
		sum += uint64(C.fill(C.int(1000 + seed)))
		text := C.CString(strings.Repeat("go", i*100))
		sum += uint64(C.strlen(text))
		C.free(unsafe.Pointer(text))
	}
	keys := make([]string, 0, len(words))
	for key, count := range words {
		keys = append(keys, fmt.Sprint(key, count))
	}
	sort.Strings(keys)
	return fmt.Sprintf("%d %d %x", seed, sum, sha256.Sum256([]byte(strings.Join(keys, ","))))
}

func main() {
	lines := make([]string, 40)
	var group sync.WaitGroup
	for i := range lines {
		group.Add(1)
		go func(i int) { defer group.Done(); lines[i] = one(i + 1) }(i)
	}
	group.Wait()
	fmt.Println(strings.Join(lines, "\n"))
	out, err := exec.Command("/bin/echo", "child").Output()
	fmt.Print(string(out), err, "\n")
}
