package main

import (
	"net/http"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

var parser = jwt.NewParser(jwt.WithValidMethods([]string{"HS256"}), jwt.WithIssuer(issuer),
	jwt.WithAudience(signInURL), jwt.WithLeeway(time.Minute))

func signIn(w http.ResponseWriter, r *http.Request) {
	request := jwt.MapClaims{}
	_, err := parser.ParseWithClaims(r.FormValue("request"), request, func(*jwt.Token) (any, error) { return key, nil })
	if err != nil || len(key) < 32 {
		http.Error(w, "This request is not valid.", http.StatusBadRequest)
		return
	}
	user, since, now := sessionUser(r), 0.0, float64(time.Now().Unix())
	if request["prompt"] != nil {
		since = request["iat"].(float64) - 60
	} else if maxAge, ok := request["max_age"].(float64); ok {
		since = now - maxAge
	}
	if user == nil || user.signedInAt < since {
		http.Redirect(w, r, "/login?"+r.URL.RawQuery, http.StatusSeeOther)
		return
	}
	response, _ := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{
		"iss": signInURL, "aud": issuer, "jti": request["jti"], "exp": now + 60,
		"sub": user.id, "auth_time": user.signedInAt, "name": user.name}).SignedString(key)
	http.Redirect(w, r, request["return_to"].(string)+"?response="+response, http.StatusSeeOther)
}
