"""A profile says which model makes its vectors, and how."""

import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("indexer", "0003_build_calibration"),
    ]

    operations = [
        migrations.AddField(
            model_name="profile",
            name="dimension",
            field=models.PositiveIntegerField(
                blank=True,
                help_text="Keep the first numbers of each vector, for models made so (Matryoshka). Empty: all.",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="profile",
            name="max_tokens",
            field=models.PositiveIntegerField(
                blank=True,
                help_text="Tokens of the longest text read, 32 or more; a longer text is split, never cut. Empty: all that the model reads.",
                null=True,
                verbose_name="length",
            ),
        ),
        migrations.AddField(
            model_name="profile",
            name="model",
            field=models.CharField(
                blank=True,
                help_text="A sentence-transformers model: a folder of this machine, or an id that it holds. Empty: what CODESEARCH_MODEL says. “none”: no vectors.",
                max_length=300,
                verbose_name="embedding model",
            ),
        ),
        migrations.AddField(
            model_name="profile",
            name="passage_prefix",
            field=models.TextField(
                blank=True,
                help_text="Put before every text that is indexed; it counts towards the length.",
                validators=[django.core.validators.MaxLengthValidator(1000)],
            ),
        ),
        migrations.AddField(
            model_name="profile",
            name="pooling",
            field=models.CharField(
                blank=True,
                choices=[
                    ("", "the model's own"),
                    ("mean", "mean of all tokens"),
                    ("cls", "the first token"),
                ],
                max_length=10,
            ),
        ),
        migrations.AddField(
            model_name="profile",
            name="query_prefix",
            field=models.TextField(
                blank=True,
                help_text="Put before every query, as the model's card says, with its last space: “query: ”.",
                validators=[django.core.validators.MaxLengthValidator(1000)],
            ),
        ),
        migrations.AddField(
            model_name="profile",
            name="revision",
            field=models.CharField(
                blank=True,
                help_text="Commit, tag or branch of a model id. Empty: the newest held.",
                max_length=100,
            ),
        ),
    ]
