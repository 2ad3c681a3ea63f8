"""A build keeps the profile as it was when it was asked for."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("indexer", "0004_profile_embedder")]

    operations = [
        migrations.AddField(
            model_name="build",
            name="recipe",
            field=models.JSONField(
                default=dict,
                editable=False,
                help_text="The profile as it was when the build was asked for.",
            ),
        )
    ]
