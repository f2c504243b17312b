# Each default extension loaded and started, and its modules named.
# needs: php php-cli
php -m
php -r 'foreach (get_loaded_extensions() as $name) { ob_start(); (new ReflectionExtension($name))->info(); echo $name, " ", count((new ReflectionExtension($name))->getFunctions()), " ", ob_get_clean() !== "", "\n"; }'
