import express from 'express'
import session from 'express-session'
import { jwtVerify, SignJWT } from 'jose'

const { ISSUER: issuer, SIGN_IN_URL: audience, EXTERNAL_SIGN_IN_KEY, SECRET_KEY, PORT } = process.env
const key = new TextEncoder().encode(EXTERNAL_SIGN_IN_KEY)
const checks = { algorithms: ['HS256'], issuer, audience, clockTolerance: 60 }
const app = express()
app.use(session({ secret: SECRET_KEY, resave: false, saveUninitialized: false }))

// Your own sign-in page, which asks for the password.
app.get('/login', (req, res) => {
  req.session.user = { id: 'ada', name: 'Ada Moore', signedInAt: Math.floor(Date.now() / 1000) }
  res.redirect(303, `/sign-in?${new URLSearchParams({ request: req.query.request })}`)
})

app.get('/sign-in', async (req, res) => {
  const verified = await jwtVerify(String(req.query.request), key, checks).catch(() => undefined)
  if (verified === undefined) return res.status(400).send('This request is not valid.')
  const { prompt, max_age, iat, jti, return_to } = verified.payload
  const { user } = req.session
  const now = Math.floor(Date.now() / 1000)
  const since = prompt ? iat - 60 : now - (max_age ?? now)
  if (user === undefined || user.signedInAt < since)
    return res.redirect(303, `/login?${new URLSearchParams({ request: req.query.request })}`)
  const claims = { sub: user.id, auth_time: user.signedInAt, name: user.name }
  const response = { iss: audience, aud: issuer, jti, exp: now + 60, ...claims }
  const jwt = await new SignJWT(response).setProtectedHeader({ alg: 'HS256' }).sign(key)
  res.redirect(303, `${return_to}?response=${jwt}`)
})

app.listen(PORT, '127.0.0.1')
