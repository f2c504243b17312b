# Ruby's own pages of objects, and all that hangs on them.
# needs: ruby ruby
ruby "$PEERS/ruby/work.rb"
