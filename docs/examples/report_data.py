"""Print the data in a report that `abut report` wrote, as JSON.

usage: report_data.py REPORT.html
"""

import re
import sys
from pathlib import Path

_DATA = re.compile(r'<script type="application/json" id="data">\n(.*?)\n</script>', re.DOTALL)

found = _DATA.search(Path(sys.argv[1]).read_text())
print(found[1] if found else sys.exit(f"{sys.argv[1]}: no report"))
