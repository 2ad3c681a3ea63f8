from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("codesearch", "0010_link_records")]

    operations = [
        migrations.RemoveField(model_name="searchrecord", name="token"),
        migrations.RemoveField(model_name="searchrecord", name="created_by"),
        migrations.RemoveField(model_name="searchrecord", name="repositories"),
    ]
