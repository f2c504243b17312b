# PHP without its own heap: every block comes from malloc.
# needs: php php-cli
USE_ZEND_ALLOC=0 php "$PEERS/php/work.php"
