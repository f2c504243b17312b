# PHP with its own heap on top, which takes large pieces from the kernel, and its default extensions.
# needs: php php-cli
php "$PEERS/php/work.php"
