from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("indexer", "0011_removed_repositories"),
    ]

    operations = [
        migrations.AddField(
            model_name="repository",
            name="host_url",
            field=models.CharField(
                blank=True,
                help_text="Address of a file at the host, with {path}, {revision} and {line}. Empty: that of GitHub, GitLab, Gitea, Forgejo, Bitbucket or sourcehut, where the source is there. “none”: no link.",
                max_length=500,
                verbose_name="file on its host",
            ),
        ),
        migrations.AddField(
            model_name="repository",
            name="local_root",
            field=models.CharField(
                blank=True,
                help_text="Where people have it checked out, for the link into an editor (CODESEARCH_EDITOR_URL). Empty: no link, or the folder that is indexed, to staff.",
                max_length=500,
                verbose_name="folder on desks",
            ),
        ),
    ]
