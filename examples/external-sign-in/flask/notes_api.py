import os

import jwt
from flask import Flask, Response, abort, request

ISSUER, RESOURCE = os.environ["ISSUER"], os.environ["RESOURCE"]
KEYS = jwt.PyJWKClient(f"{ISSUER}/api/oauth/jwks")
CHECKS = {"issuer": ISSUER, "audience": RESOURCE, "leeway": 60, "options": {"require": ["exp", "iat", "sub"]}}
app = Flask(__name__)


def refuse(status, error):
    abort(Response(status=status, headers={"WWW-Authenticate": f"Bearer {error}"}))


def user_with(scope):
    kind, _, token = request.headers.get("Authorization", "").partition(" ")
    try:
        key = KEYS.get_signing_key_from_jwt(token)
        found = jwt.decode_complete(token, key, ["ES256", "RS256"], **CHECKS)
    except jwt.exceptions.PyJWKClientConnectionError:
        abort(503)  # The token may be valid: the app must not discard it.
    except jwt.PyJWTError:
        refuse(401, 'error="invalid_token"')
    header, claims = found["header"], found["payload"]
    # Not an ID token, a token that needs a DPoP proof, or that of a client without a user.
    is_of_user = header.get("typ") == "at+jwt" and "cnf" not in claims and claims["sub"] != claims["client_id"]
    if kind.lower() != "bearer" or not is_of_user:
        refuse(401, 'error="invalid_token"')
    if scope not in claims["scope"].split():
        refuse(403, f'error="insufficient_scope", scope="{scope}"')
    return claims["sub"]


@app.get("/notes")
def notes():
    return [f"a note of {user_with('notes:read')}"]
