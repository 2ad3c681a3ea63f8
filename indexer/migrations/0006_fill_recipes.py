"""Builds made before profiles had an embedder: all by the configured model."""

from django.conf import settings
from django.db import migrations


def fill_recipes(apps, schema_editor):
    Build = apps.get_model("indexer", "Build")
    Profile = apps.get_model("indexer", "Profile")
    embedder = {
        "model": settings.MODEL,
        "revision": "",
        "query_prefix": "",
        "passage_prefix": "",
        "max_tokens": None,
        "dimension": None,
        "pooling": "",
    }
    for profile in Profile.objects.all():
        recipe = {"chunker": profile.chunker, "embedder": embedder}
        Build.objects.filter(index__profile=profile).update(recipe=recipe)


class Migration(migrations.Migration):
    dependencies = [("indexer", "0005_build_recipe")]

    operations = [migrations.RunPython(fill_recipes, migrations.RunPython.noop)]
