#!/usr/bin/env python3
"""validate.py SCHEMAS REPORT...: checks *.sarif against each JSON schema in the folder SCHEMAS, and
*.xml against each *.xsd there. scripts/setup_schemas.sh makes such a folder. Needs jsonschema and
xmlschema from PyPI."""
import json
import pathlib
import sys

import jsonschema
import xmlschema


def sarif_problems(schema, report):
    validator = jsonschema.validators.validator_for(schema)(schema)
    return [f"{each.json_path}: {each.message}" for each in validator.iter_errors(json.loads(report.read_text()))]


def junit_problems(schema, report):
    return [f"{each.path}: {each.reason}" for each in schema.iter_errors(str(report))]


folder = pathlib.Path(sys.argv[1])
checks = {
    ".sarif": [(json.loads(each.read_text()), sarif_problems) for each in folder.glob("*.json")],
    ".xml": [(xmlschema.XMLSchema(str(each)), junit_problems) for each in folder.glob("*.xsd")],
}
failed = not all(checks.values())
if failed:
    print(f"{folder}: a schema is missing")
for report in map(pathlib.Path, sys.argv[2:]):
    problems = [problem for schema, check in checks[report.suffix] for problem in check(schema, report)]
    print(f"{report}: {problems[0] if problems else 'valid'}")
    failed |= bool(problems)
sys.exit(failed)
