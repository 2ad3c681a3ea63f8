"""Keep what a build made of late, in place of when its stage began."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("indexer", "0007_freshness_and_log")]

    operations = [
        migrations.RemoveField(model_name="build", name="stage_started_at"),
        migrations.RemoveField(model_name="build", name="stage_started_done"),
        migrations.AddField(
            model_name="build",
            name="pace",
            field=models.JSONField(
                default=list,
                editable=False,
                help_text="What its stage made of late, as samples of "
                "`indexer/pace.py`.",
            ),
        ),
    ]
