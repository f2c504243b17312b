# Generations of worker threads, each with an engine of its own.
# needs: node nodejs
node "$PEERS/node/work.js"
