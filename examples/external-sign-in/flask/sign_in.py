import os
import time

import jwt
from flask import Flask, redirect, request, session, url_for

ISSUER, SIGN_IN_URL, KEY = (os.environ[name] for name in ("ISSUER", "SIGN_IN_URL", "EXTERNAL_SIGN_IN_KEY"))
app = Flask(__name__)
app.secret_key = os.environ["SECRET_KEY"]


@app.get("/login")
def login():  # Your own sign-in page, which asks for the password.
    session["user"] = {"id": "ada", "name": "Ada Moore", "signed_in_at": int(time.time())}
    return redirect(url_for("sign_in", request=request.args["request"]))


@app.get("/sign-in")
def sign_in():
    try:
        asked = jwt.decode(request.args["request"], KEY, ["HS256"], issuer=ISSUER, audience=SIGN_IN_URL, leeway=60)
    except jwt.InvalidTokenError as error:
        return str(error), 400
    user, now = session.get("user"), int(time.time())
    since = asked["iat"] - 60 if "prompt" in asked else now - asked.get("max_age", now)
    if user is None or user["signed_in_at"] < since:
        return redirect(url_for("login", request=request.args["request"]))
    claims = {"sub": user["id"], "auth_time": user["signed_in_at"], "name": user["name"]}
    response = {"iss": SIGN_IN_URL, "aud": ISSUER, "jti": asked["jti"], "exp": now + 60, **claims}
    return redirect(f"{asked['return_to']}?response={jwt.encode(response, KEY, 'HS256')}")
