<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output method="xml" indent="yes"/>
  <xsl:key name="kind" match="record" use="@kind"/>
  <xsl:template match="/catalogue">
    <kinds>
      <xsl:for-each select="record[generate-id() = generate-id(key('kind', @kind)[1])]">
        <xsl:sort select="@kind"/>
        <kind name="{@kind}" tags="{count(key('kind', @kind)/tags/tag)}">
          <xsl:apply-templates select="key('kind', @kind)">
            <xsl:sort select="title"/>
          </xsl:apply-templates>
        </kind>
      </xsl:for-each>
    </kinds>
  </xsl:template>
  <xsl:template match="record">
    <title price="{price}"><xsl:value-of select="concat(title, ' - ', substring(note, 1, 20))"/></title>
  </xsl:template>
</xsl:stylesheet>
