# Parses, formats, queries and validates a document of a few megabytes, as a tree and as a stream.
# needs: xmllint libxml2-utils
{
    echo '<?xml version="1.0"?><!DOCTYPE library [<!ENTITY e "an entity"><!ELEMENT library ANY>]><library>'
    for n in $(seq 1 20000); do
        echo "<book id='b$n' year='$((1900 + n % 120))'><title>Title $((n * 7919 % 20011)) &amp; more</title><note>&e; <b>$n</b><!-- c --></note></book>"
    done
    echo '</library>'
} > doc.xml
xmllint --format doc.xml | cksum
xmllint --noent --c14n doc.xml | cksum
xmllint --xpath 'count(//book[@year=1999])' doc.xml; echo
xmllint --xpath '//book[@id="b777"]/title/text()' doc.xml; echo
xmllint --xpath 'sum(//note/b)' doc.xml; echo
xmllint --stream --noout doc.xml && echo streamed
xmllint --html --noout doc.xml > html.log 2>&1; cksum < html.log
cat > schema.rng <<'RNG'
<element name="library" xmlns="http://relaxng.org/ns/structure/1.0"><zeroOrMore><element name="book">
<attribute name="id"/><attribute name="year"/><element name="title"><text/></element>
<element name="note"><mixed><element name="b"><text/></element></mixed></element></element></zeroOrMore></element>
RNG
xmllint --noout --relaxng schema.rng doc.xml 2>&1
sed -n '1,50s/<\/book>//p' doc.xml > broken.xml
xmllint --recover broken.xml 2>&1 | cksum
