#!/usr/bin/env python3
"""validate.py SCHEMAS REPORT...: checks *.sarif against sarif-schema-2.1.0.json (OASIS) and *.xml
against JUnit.xsd (github.com/windyroad/JUnit-Schema) in the folder SCHEMAS. Needs jsonschema and
xmlschema from PyPI."""
import json
import pathlib
import sys

import jsonschema
import xmlschema

schemas = pathlib.Path(sys.argv[1])
sarif = jsonschema.validators.validator_for(
    json.loads((schemas / "sarif-schema-2.1.0.json").read_text())
)(json.loads((schemas / "sarif-schema-2.1.0.json").read_text()))
junit = xmlschema.XMLSchema(str(schemas / "JUnit.xsd"))
failed = False
for name in sys.argv[2:]:
    if name.endswith(".sarif"):
        problems = [f"{e.json_path}: {e.message}" for e in sarif.iter_errors(json.loads(pathlib.Path(name).read_text()))]
    else:
        problems = [f"{e.path}: {e.reason}" for e in junit.iter_errors(name)]
    print(f"{name}: {'valid' if not problems else problems[0]}")
    failed |= bool(problems)
sys.exit(failed)
