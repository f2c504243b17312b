# Ten minutes of threads that come and go, native buffers, compression, and collections.
# needs: java default-jdk-headless
# needs: javac default-jdk-headless
javac -d . "$PEERS/java/Load.java"
java -Xmx192m -cp . Load "${LOAD_SECONDS:-600}"
