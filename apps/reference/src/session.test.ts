import type { HttpRequest } from '@grantkit/core'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Sessions, sessionsInCookies } from './session.ts'

const SECRET = 'a secret of the tests, long enough'
const HTTP = 'http://127.0.0.1:3000'
const HTTPS = 'https://school.example'

function requestWith(setCookie: string): HttpRequest {
  return { method: 'GET', path: '/', query: '', headers: { cookie: setCookie.split(';')[0] }, body: '' }
}

async function cookieOf(sessions: Sessions): Promise<string> {
  return (await sessions.start('alice')).cookie
}

afterEach(() => void vi.useRealTimers())

describe('a session', () => {
  it('is read back from its cookie: who, since when, and an id of its own', async () => {
    const sessions = sessionsInCookies(SECRET, HTTP)
    const [first, second] = [await sessions.start('alice'), await sessions.start('alice')]
    const session = await sessions.read(requestWith(first.cookie))
    expect(session).toEqual({ id: expect.any(String), subject: 'alice', authTime: expect.any(Number) })
    expect(first.session, 'as it was started').toEqual(session)
    expect((await sessions.read(requestWith(second.cookie)))?.id).not.toBe(session?.id)
  })

  it('is absent for a changed, foreign or missing cookie', async () => {
    const sessions = sessionsInCookies(SECRET, HTTP)
    const cookie = (await cookieOf(sessions)).split(';')[0] ?? ''
    const elsewhere = await cookieOf(sessionsInCookies('another secret, also long enough!!', HTTP))
    const unsigned = `session=${btoa('{"alg":"none"}')}.${btoa('{"sub":"alice","jti":"1","iat":1}')}.`
    for (const forged of [
      `${cookie}x`,
      cookie.replace('session=', 'session=x'),
      elsewhere,
      unsigned,
      'session=',
      '',
    ]) {
      expect(await sessions.read(requestWith(forged)), forged).toBeUndefined()
    }
  })

  it('ends by itself after twelve hours', async () => {
    const sessions = sessionsInCookies(SECRET, HTTP)
    const cookie = await cookieOf(sessions)
    vi.useFakeTimers({ now: Date.now() + 12 * 60 * 60 * 1000 + 1000 })
    expect(await sessions.read(requestWith(cookie))).toBeUndefined()
  })

  it('keeps its cookie from scripts, other sites and sibling hosts', async () => {
    expect(await cookieOf(sessionsInCookies(SECRET, HTTPS))).toMatch(
      /^__Host-session=[^;]+; Max-Age=43200; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    )
    expect(await cookieOf(sessionsInCookies(SECRET, HTTP))).toMatch(
      /^session=[^;]+; Max-Age=43200; Path=\/; HttpOnly; SameSite=Lax$/,
    )
    expect(sessionsInCookies(SECRET, HTTP).end()).toMatch(/^session=; Max-Age=0;/)
  })
})
