from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("indexer", "0010_static_profile")]

    operations = [
        migrations.CreateModel(
            name="RemovedRepository",
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
                ("key", models.BigIntegerField(unique=True)),
                ("name", models.CharField(max_length=100)),
                (
                    "visibility",
                    models.CharField(
                        choices=[("public", "everyone"), ("staff", "staff only")],
                        max_length=10,
                    ),
                ),
                ("removed_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={"ordering": ["-pk"]},
        ),
    ]
