import os

import requests
from django.contrib.auth import get_user_model
from django.db.models.signals import post_delete
from django.dispatch import receiver

ISSUER, CLIENT = os.environ["ISSUER"], tuple(os.environ["ADMIN_CLIENT"].split(":"))


@receiver(post_delete, sender=get_user_model())
def remove_at_server(instance, **_):
    form = {"grant_type": "client_credentials", "resource": f"{ISSUER}/admin/api"}
    answer = requests.post(f"{ISSUER}/api/oauth/token", form, auth=CLIENT, timeout=5)
    answer.raise_for_status()
    headers = {"Authorization": f"Bearer {answer.json()['access_token']}"}
    requests.delete(f"{ISSUER}/admin/api/users/{instance.pk}", headers=headers, timeout=5).raise_for_status()
