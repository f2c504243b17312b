# Goroutines that call into C on many threads; the tool that builds them runs under the heap as well.
# needs: go golang-go
# needs: gcc gcc
cp "$PEERS/go/work.go" .
export GOCACHE=$PWD/cache GOPATH=$PWD/path GO111MODULE=off GOTOOLCHAIN=local CGO_ENABLED=1
go build -trimpath -ldflags=-buildid= -o work work.go
ldd work | grep -o 'libc\.so\.6 '
./work
