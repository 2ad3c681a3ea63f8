"""A third profile to choose: vectors from a table, weaker and made in seconds."""

from django.db import migrations

NAME = "static"


def add_profile(apps, schema_editor):
    Profile = apps.get_model("indexer", "Profile")
    Profile.objects.get_or_create(
        name=NAME, defaults={"chunker": "symbol", "model": "static"}
    )


class Migration(migrations.Migration):
    dependencies = [("indexer", "0009_when_to_fetch_and_how_far_behind")]

    operations = [migrations.RunPython(add_profile, migrations.RunPython.noop)]
