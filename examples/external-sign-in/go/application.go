package main

import (
	"crypto/rand"
	"log"
	"net/http"
	"os"
	"sync"
	"time"
)

// This stands for your own application: its users, its sessions, and its sign-in page, which asks for the password.

var issuer, signInURL, key = os.Getenv("ISSUER"), os.Getenv("SIGN_IN_URL"), []byte(os.Getenv("EXTERNAL_SIGN_IN_KEY"))

type user struct {
	id, name   string
	signedInAt float64
}

var sessions sync.Map

func sessionUser(r *http.Request) *user {
	if cookie, err := r.Cookie("session"); err == nil {
		if found, ok := sessions.Load(cookie.Value); ok {
			return found.(*user)
		}
	}
	return nil
}

func login(w http.ResponseWriter, r *http.Request) {
	id := rand.Text()
	sessions.Store(id, &user{"ada", "Ada Moore", float64(time.Now().Unix())})
	http.SetCookie(w, &http.Cookie{Name: "session", Value: id, HttpOnly: true, SameSite: http.SameSiteLaxMode})
	http.Redirect(w, r, "/sign-in?"+r.URL.RawQuery, http.StatusSeeOther)
}

func main() {
	http.HandleFunc("GET /login", login)
	http.HandleFunc("GET /sign-in", signIn)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}
