"""What a build's own queries score; a build made before has none."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("indexer", "0002_profiles")]

    operations = [
        migrations.AddField(
            model_name="build",
            name="calibration",
            field=models.JSONField(
                blank=True,
                help_text="What present and absent queries score; null until it is made.",
                null=True,
            ),
        ),
    ]
