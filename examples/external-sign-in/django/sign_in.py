import os
import time

import jwt
from django.contrib.auth import user_logged_in
from django.contrib.auth.views import redirect_to_login
from django.dispatch import receiver
from django.http import HttpResponse, HttpResponseRedirect

ISSUER, SIGN_IN_URL, KEY = (os.environ[name] for name in ("ISSUER", "SIGN_IN_URL", "EXTERNAL_SIGN_IN_KEY"))


@receiver(user_logged_in)
def remember_time(request, **_):
    request.session["signed_in_at"] = int(time.time())


def sign_in(request):
    try:
        text = request.GET.get("request", "")
        asked = jwt.decode(text, KEY, ["HS256"], issuer=ISSUER, audience=SIGN_IN_URL, leeway=60)
    except jwt.InvalidTokenError as error:
        return HttpResponse(str(error), status=400, content_type="text/plain")
    user, signed_in_at, now = request.user, request.session.get("signed_in_at", -1), int(time.time())
    since = asked["iat"] - 60 if "prompt" in asked else now - asked.get("max_age", now)
    if not user.is_authenticated or signed_in_at < since:
        return redirect_to_login(request.get_full_path())
    claims = {"sub": str(user.pk), "auth_time": signed_in_at, "name": user.get_full_name()}
    response = {"iss": SIGN_IN_URL, "aud": ISSUER, "jti": asked["jti"], "exp": now + 60, **claims}
    return HttpResponseRedirect(f"{asked['return_to']}?response={jwt.encode(response, KEY, 'HS256')}")
