"""The smallest Django application around sign_in.py. Yours has its settings, users and LoginView already."""

import os

import django
from django.conf import settings

settings.configure(
    SECRET_KEY=os.environ["SECRET_KEY"],
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF=__name__,
    LOGIN_URL="/login",
    USE_TZ=True,
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "application.sqlite"}},
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions"],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
    ],
)
django.setup()

from django.contrib.auth import get_user_model, login
from django.contrib.auth.views import RedirectURLMixin
from django.core.management import execute_from_command_line
from django.http import HttpResponseRedirect
from django.urls import path
from django.views import View

from sign_in import sign_in

if "ADMIN_CLIENT" in os.environ:
    import removed_users


class Login(RedirectURLMixin, View):
    """In place of LoginView, which asks for the password."""

    next_page = "/"

    def get(self, request):
        ada, _ = get_user_model().objects.get_or_create(username="ada", first_name="Ada", last_name="Moore")
        login(request, ada)
        return HttpResponseRedirect(self.get_success_url())


urlpatterns = [path("login", Login.as_view()), path("sign-in", sign_in)]

if __name__ == "__main__":
    execute_from_command_line()
