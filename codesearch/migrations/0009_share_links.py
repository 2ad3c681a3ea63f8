from django.conf import settings
from django.db import migrations, models
from django.db.models import deletion

import codesearch.models.records


class Migration(migrations.Migration):
    dependencies = [
        ("codesearch", "0008_experiments"),
        ("indexer", "0011_removed_repositories"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="searchrecord",
            name="names",
            field=models.JSONField(default=dict),
        ),
        migrations.AddField(
            model_name="searchrecord",
            name="case_sets",
            field=models.JSONField(default=list),
        ),
        migrations.AlterField(
            model_name="searchrecord",
            name="kind",
            field=models.CharField(
                choices=[
                    ("search", "Search"),
                    ("trace", "Trace"),
                    ("comparison", "Comparison"),
                    ("profiles", "Profiles"),
                    ("file", "File"),
                ],
                max_length=10,
            ),
        ),
        migrations.AlterField(
            model_name="searchrecord",
            name="query",
            field=models.TextField(
                help_text="What was asked, or what is shown of where."
            ),
        ),
        migrations.CreateModel(
            name="RecordedText",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                ("text", models.TextField()),
                (
                    "record",
                    models.OneToOneField(
                        on_delete=deletion.CASCADE,
                        related_name="text",
                        to="codesearch.searchrecord",
                    ),
                ),
                (
                    "repository",
                    models.ForeignKey(
                        on_delete=deletion.CASCADE,
                        related_name="+",
                        to="indexer.repository",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ShareLink",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                (
                    "token",
                    models.CharField(
                        default=codesearch.models.records.new_token,
                        max_length=32,
                        unique=True,
                    ),
                ),
                ("label", models.CharField(blank=True, max_length=100)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("expires_at", models.DateTimeField(null=True)),
                ("revoked_at", models.DateTimeField(null=True)),
                ("opened", models.PositiveIntegerField(default=0)),
                ("opened_at", models.DateTimeField(null=True)),
                (
                    "created_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "record",
                    models.ForeignKey(
                        on_delete=deletion.CASCADE,
                        related_name="links",
                        to="codesearch.searchrecord",
                    ),
                ),
            ],
            options={"ordering": ["-pk"]},
        ),
    ]
