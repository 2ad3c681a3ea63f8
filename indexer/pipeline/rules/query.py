"""SQL: what a statement creates."""

from __future__ import annotations

from indexer.pipeline.rules.record import LanguageRules, kinds, restart, words

SQL = LanguageRules(
    language="sql",
    definitions=kinds(
        class_="create_table create_view create_materialized_view",
        function="create_function create_procedure create_trigger",
        type="create_type create_sequence create_policy",
        namespace="create_schema",
    ),
    name="object_reference|identifier",
    odd_names=words("identifier object_reference"),
    wrappers=words("statement"),
    comments=words("comment marginalia"),
    bodies=words("function_body column_definitions create_query"),
    blocks=words("column_definitions function_body statement"),
    restart=restart(r"^(?i:create|alter|insert|select|update|delete|drop)\b"),
    sample=(
        "CREATE TABLE a.b (c INT);\nCREATE VIEW d AS SELECT 1;\n"
        "CREATE FUNCTION e() RETURNS int AS $$ SELECT 1; $$ LANGUAGE sql;\n"
        "CREATE TYPE f AS ENUM ('g');\n"
    ),
    sample_symbols=("a.b", "d", "e", "f"),
)
