import { formEncoded, formOfPage } from '@grantkit/testkit/client'
import { describe, expect, it } from 'vitest'
import { App, textOf } from './app.ts'
import { cookieOf } from './bench.ts'
import { onTheService } from './on-the-service.ts'
import { expectAnew, expectGuardedPage, expectPage } from './safe-answers.ts'
import type { Answer } from './wire.ts'

/** The pages: only their own forms are accepted, and no markup of an attacker appears. */

const XSS = `"><img src=x onerror="window.__xss=1"><script>window.__xss=1</script>'`

onTheService('the pages', (bench) => {
  describe('the consent form', () => {
    it('UI-01: the consent form needs its own ticket, of this session and request, and gives no code without it', async () => {
      const app = await App.register(bench)
      const form = await app.consentForm(app.query())
      const other = await App.register(bench, {}, 'bob')
      const theirs = await other.consentForm(other.query({ client_id: app.id }))
      const elsewhere = await app.consentForm(app.query({ scope: 'students:write' }))
      const [[, ticket]] = form.fields as [[string, string]]
      const forged = [
        ['x', 'invented'],
        [`${ticket.slice(0, -1)}${ticket.endsWith('A') ? 'B' : 'A'}`, 'flipped'],
        [String(theirs.fields[0]?.[1]), 'of another session'],
        [String(elsewhere.fields[0]?.[1]), 'of another request'],
        [ticket.replace(/^\d+/, '9999999999'), 'made to last'],
      ]
      const withTicket = (value: string) =>
        app.submit({
          ...form,
          fields: [
            ['ticket', value],
            ['decision', 'allow'],
          ],
        })
      expectPage(await withTicket(''), 'without')
      for (const [value = '', about] of forged) expectAnew(await withTicket(value), about)
      expectAnew(await bench.post(form.action, form.fields), 'signed out')
      expectAnew(await app.submit({ ...form, action: `${form.action}&scope=openid` }), 'another query')
      const changed = form.action.replace('courses%3Aread', 'students%3Awrite')
      expectAnew(await app.submit({ ...form, action: changed }), 'more scopes')
      expect((await app.submit(form)).redirected().get('code')).toMatch(/^gkc_/)
    })

    it('UI-01: a repeated form yields the same code while that is unused, and then none', async () => {
      const app = await App.register(bench)
      const form = await app.consentForm(app.query())
      const code = (await app.submit(form)).redirected().get('code') ?? ''
      expect((await app.submit(form)).redirected().get('code')).toBe(code)
      expect((await app.redeem(code)).status).toBe(200)
      const again = await app.submit(form)
      expect([again.redirected().has('code'), again.redirected().get('error')]).toEqual([
        false,
        'invalid_request',
      ])
    })
  })

  it('UI-10: an ended session is invalid even if its cookie was kept', async () => {
    const [kept, other] = await Promise.all(
      [1, 2].map(() => bench.signIn('alice', bench.passwordOf('alice'))),
    )
    const statusWith = async (cookies = '') =>
      (await bench.send('/account', { headers: [['Cookie', cookies]] })).status
    expect([await statusWith(kept), await statusWith(other)]).toEqual([200, 200])
    const app = await App.register(bench)
    const own = { headers: [['Cookie', kept ?? '']] } as const
    const { action, fields } = formOfPage(await bench.send(`/oauth/authorize?${app.query()}`, own))
    await bench.post('/logout', {}, own.headers)
    expect([await statusWith(kept), await statusWith(other)]).toEqual([303, 200])
    expectAnew(await bench.post(action, [...fields, ['decision', 'allow']], own.headers))
  })

  it('UI-10: a session is neither accepted nor ended while the database is unreachable', async () => {
    const session = ['Cookie', await bench.signIn('alice', bench.passwordOf('alice'))] as const
    const account = async () => (await bench.send('/account', { headers: [session] })).status
    const { database } = bench.service
    const { rowsNow } = database
    const failing = () => {
      throw Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: 10 })
    }
    Object.assign(database, { rowsNow: failing })
    bench.failuresExpected = true
    expect(await account()).toBe(503)
    const refused = await bench.post('/logout', {}, [session])
    expect([refused.status, refused.header('set-cookie')]).toEqual([503, undefined])
    Object.assign(database, { rowsNow })
    expect(await account(), 'it goes on').toBe(200)
    expect((await bench.post('/logout', {}, [session])).status).toBe(303)
    expect(await account()).toBe(303)
  })

  describe('the sign-in form', () => {
    const signIn = (fields: Record<string, string>, headers: (readonly [string, string])[]) =>
      bench.post(
        '/login',
        { email: 'alice@school.example', password: bench.passwordOf('alice'), ...fields },
        headers,
      )
    const open = async () => {
      const page = await bench.send('/login')
      return {
        token: /name="token" value="([^"]+)"/.exec(page.body)?.[1] ?? '',
        own: ['Cookie', cookieOf(page)] as const,
      }
    }

    it('UI-02: another site cannot send the sign-in form, and its token is bound to one browser', async () => {
      const { token, own } = await open()
      const other = await open()
      const refused: [string, Record<string, string>, (readonly [string, string])[]][] = [
        ['without a cookie', { token }, []],
        ['with the token of another browser', { token: other.token }, [own]],
        ['from another origin', { token }, [own, ['Origin', 'https://evil.example']]],
        ['from another site', { token }, [own, ['Sec-Fetch-Site', 'cross-site']]],
      ]
      for (const [about, fields, headers] of refused) {
        const answer = await signIn(fields, headers)
        expect(answer.status, about).toBe(403)
        expect(cookieOf(answer), about).not.toMatch(/session(-\d+)?=/)
        expectGuardedPage(answer, about)
      }
      const signedIn = await signIn({ token }, [own, ['Origin', bench.base]])
      expect([signedIn.status, signedIn.body]).toEqual([303, ''])
      expect(cookieOf(signedIn)).toMatch(/session(-\d+)?=/)
    })

    it('UI-08: sign-in and sign-out redirect only to this service', async () => {
      const targets = [
        ...'//evil.example /\\evil.example https:evil.example https://evil.example javascript:x'.split(' '),
        ...['\\\\evil.example', '/\t/evil.example', '/\n/evil', 'http://127.0.0.1:1/'],
        ...['/%0d%0aX: y\r\nX: y', ' //evil'],
      ]
      for (const return_to of targets) {
        const { token, own } = await open()
        const answer = await signIn({ token, return_to }, [own])
        expect(answer.header('location'), return_to).toMatch(/^\/(?![/\\])[^\s\\]*$/)
        expect(answer.header('location'), return_to).not.toMatch(/^\/[^?]*evil/)
        for (const page of ['/login', '/logout']) {
          const shown = await bench.send(
            `${page}?${formEncoded({ return_to, next: return_to, RelayState: return_to })}`,
          )
          const target = textOf(/name="return_to" value="([^"]*)"/.exec(shown.body)?.[1])
          expect(new URL(target, bench.base).origin, return_to).toBe(bench.base)
        }
        const out = await bench.post('/logout', { return_to })
        expect(new URL(out.header('location') ?? '', bench.base).origin, return_to).toBe(bench.base)
      }
    })

    it('UI-09, REQ-21: no response to a form repeats its input', async () => {
      const { token, own } = await open()
      const wrong = await signIn({ token, password: 'my other password' }, [own])
      expect([wrong.status, wrong.body.includes('my other password')]).toEqual([401, false])
      const right = await signIn({ token }, [own])
      expect([right.status, right.body]).toEqual([303, ''])
    })

    it('UI-11: an unknown address and a wrong password are answered alike', async () => {
      const plain = ({ body }: Answer) => body.replaceAll(/value="[^"]*"/g, '')
      const { token, own } = await open()
      const known = await signIn({ token, password: 'wrong' }, [own])
      const unknown = await signIn({ token, password: 'wrong', email: 'unknown@school.example' }, [own])
      expect([unknown.status, plain(unknown)]).toEqual([known.status, plain(known)])
      expect(known.status).toBe(401)
    })

    it('UI-11: a password with anything after it is another password', async () => {
      const { token, own } = await open()
      for (const more of ['\0', '\0'.repeat(40), '\n', '\x7f', ' ']) {
        const answer = await signIn({ token, password: bench.passwordOf('alice') + more }, [own])
        expect(answer.status, JSON.stringify(more)).toBe(401)
      }
    })
  })

  it('UI-04, REQ-29: no page can be framed, is cached or runs a script', async () => {
    const app = await App.register(bench)
    const pages = [
      await bench.send('/'),
      await bench.send('/login'),
      await bench.send('/logout'),
      await app.authorize(),
      await app.authorize({ redirect_uri: 'x' }),
      await bench.send('/oauth/consent', { method: 'POST' }),
    ]
    for (const page of pages) expectGuardedPage(page)
  })

  it('UI-05, REQ-74: no input of a request appears unescaped on a page', async () => {
    const app = await App.register(bench, { client_name: `Notes ${XSS}` })
    const names = 'client_id redirect_uri scope state login_hint ui_locales nonce prompt resource'.split(' ')
    const queries = names.map((name) => app.query({ [name]: XSS }))
    const pages = [
      ...(await Promise.all(queries.map((query) => app.ask(query)))),
      await app.ask(`${app.query()}&${formEncoded({ [XSS]: XSS, error: XSS })}`),
      await bench.send(`/login?${formEncoded({ login_hint: XSS, return_to: `/${XSS}`, error: XSS })}`),
      await bench.send(`/logout?${formEncoded({ return_to: `/${XSS}` })}`),
      await bench.post('/login', { email: XSS, password: XSS, return_to: `/${XSS}`, token: XSS }),
      await bench.post('/oauth/consent', { ticket: XSS, decision: XSS, scope: XSS }),
      await bench.send(`/oauth/consent?${app.query()}`, { method: 'POST' }),
      await bench.send(`/${XSS.replaceAll(' ', '%20')}`),
    ]
    for (const { body } of pages) expect(body).not.toMatch(/<img src=x|<script>window|onerror="/)
    expect(pages[pages.length - 6]?.body ?? '').toContain('&lt;script&gt;')
  })
})
