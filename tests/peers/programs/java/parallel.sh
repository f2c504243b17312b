# Threads, native memory and the compiler under the collector Parallel.
# needs: java default-jdk-headless
# needs: javac default-jdk-headless
javac -d . "$PEERS/java/Work.java"
sha256sum Work.class | cut -d ' ' -f 1
java -XX:+UseParallelGC -Xmx192m -cp . Work
