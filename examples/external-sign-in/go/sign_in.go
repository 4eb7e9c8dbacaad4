package main

import (
	"net/http"
	"os"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

var issuer, signInURL, key = os.Getenv("ISSUER"), os.Getenv("SIGN_IN_URL"), []byte(os.Getenv("EXTERNAL_SIGN_IN_KEY"))
var parser = jwt.NewParser(jwt.WithValidMethods([]string{"HS256"}), jwt.WithIssuer(issuer),
	jwt.WithAudience(signInURL), jwt.WithLeeway(time.Minute))

type request struct {
	jwt.RegisteredClaims
	Prompt   string `json:"prompt"`
	MaxAge   *int64 `json:"max_age"`
	ReturnTo string `json:"return_to"`
}

func signIn(w http.ResponseWriter, r *http.Request) {
	var asked request
	_, err := parser.ParseWithClaims(r.FormValue("request"), &asked, func(*jwt.Token) (any, error) { return key, nil })
	if err != nil || len(key) < 32 {
		http.Error(w, "This request is not valid.", http.StatusBadRequest)
		return
	}
	user, since, now := sessionUser(r), int64(0), time.Now().Unix()
	if asked.Prompt != "" {
		since = asked.IssuedAt.Unix() - 60
	} else if asked.MaxAge != nil {
		since = now - *asked.MaxAge
	}
	if user == nil || user.signedInAt < since {
		http.Redirect(w, r, "/login?"+r.URL.RawQuery, http.StatusSeeOther)
		return
	}
	claims := jwt.MapClaims{"sub": user.id, "auth_time": user.signedInAt, "name": user.name,
		"iss": signInURL, "aud": issuer, "jti": asked.ID, "exp": now + 60}
	response, _ := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString(key)
	http.Redirect(w, r, asked.ReturnTo+"?response="+response, http.StatusSeeOther)
}
