"""The two profiles every installation starts with."""

from django.db import migrations

PROFILES = ("symbol", "window")


def add_profiles(apps, schema_editor):
    Profile = apps.get_model("indexer", "Profile")
    for name in PROFILES:
        Profile.objects.get_or_create(name=name, defaults={"chunker": name})


class Migration(migrations.Migration):
    dependencies = [("indexer", "0001_repositories_and_builds")]

    operations = [migrations.RunPython(add_profiles, migrations.RunPython.noop)]
