import { DEVICE_CODE_GRANT } from '@grantkit/core/device'
import { formOfPage } from '@grantkit/testkit/client'
import { beforeAll, describe, expect, it } from 'vitest'
import { App } from './app.ts'
import type { Bench, Person } from './bench.ts'
import { later, onBothStores } from './on-both-stores.ts'
import { expectError, expectGuardedPage, expectPage } from './safe-answers.ts'
import type { Answer } from './wire.ts'

/** Sign-in on a device without a browser, and attacks from the other end. */

interface Started {
  readonly device_code: string
  readonly user_code: string
}

/** A device, and users at their browsers. */
class Device {
  readonly #bench: Bench
  #tool = ''

  constructor(bench: Bench) {
    this.#bench = bench
  }

  get tool(): string {
    return this.#tool
  }

  async arrange(): Promise<void> {
    this.#tool = await this.addTool()
  }

  async addTool(): Promise<string> {
    const added = await this.#bench.service.clients.add({
      clientName: 'Tool',
      redirectUris: [],
      tokenEndpointAuthMethod: 'none',
      grantTypes: [DEVICE_CODE_GRANT, 'refresh_token'],
    })
    return added.clientId
  }

  ask(form: Record<string, string> = {}): Promise<Answer> {
    const usual = { client_id: this.#tool, scope: 'openid courses:read' }
    return this.#bench.post('/api/oauth/device_authorization', { ...usual, ...form })
  }

  async start(): Promise<Started> {
    return (await this.ask()).json() as unknown as Started
  }

  async poll({ device_code }: Started, client_id = this.#tool): Promise<Answer> {
    const form = { grant_type: DEVICE_CODE_GRANT, client_id, device_code }
    return this.#bench.keepTokens(await this.#bench.post('/api/oauth/token', form))
  }

  async show(query = '', person: Person = 'alice'): Promise<Answer> {
    const headers = [['Cookie', await this.#bench.session(person)]] as const
    return this.#bench.send(`/oauth/device${query}`, { headers })
  }

  async enter(user_code: string, person: Person = 'alice'): Promise<Answer> {
    const { action, fields } = formOfPage(await this.show('', person))
    const ticket = fields.find(([name]) => name === 'ticket')?.[1] ?? ''
    return this.#bench.post(action, { ticket, user_code }, [['Cookie', await this.#bench.session(person)]])
  }

  /** Sends the form of the page that asks. */
  async decide(page: Answer, decision: string, person: Person = 'alice'): Promise<Answer> {
    const { action, fields } = formOfPage(page)
    const cookie = await this.#bench.session(person)
    return this.#bench.post(action, [...fields, ['decision', decision]], [['Cookie', cookie]])
  }

  async approve({ user_code }: Started): Promise<Answer> {
    return this.decide(await this.enter(user_code), 'allow')
  }
}

/** Without what differs from page to page by its nature. */
function withoutTicket({ body }: Answer): string {
  return body.replace(/name="ticket" value="[^"]+"/, '').replace(/value="[^"]*" maxlength/, '')
}

onBothStores(
  'a device',
  (bench) => {
    const device = new Device(bench)
    beforeAll(() => device.arrange())

    describe('a code or a link from an attacker', () => {
      it('DV-01: prefills nothing, looks nothing up, and approves nothing', async () => {
        const started = await device.start()
        for (const query of [
          `?user_code=${started.user_code}`,
          `?user_code=${started.user_code}&decision=allow`,
        ]) {
          const page = await device.show(query)
          expect([page.status, page.header('location')]).toEqual([200, undefined])
          expect(page.body).not.toContain(started.user_code)
          expectGuardedPage(page)
        }
        expectError(await device.poll(started), 'authorization_pending')
      })

      it('DV-01: shows the user the client, that it is another device, and Deny first', async () => {
        const { user_code } = await device.start()
        const page = await device.enter(user_code)
        for (const shown of [
          'If someone sent you this code, deny',
          'another device',
          'Tool',
          user_code,
          'Started',
        ])
          expect(page.body).toContain(shown)
        expect(page.body.indexOf('value="deny"')).toBeLessThan(page.body.indexOf('value="allow"'))
        expectGuardedPage(page)
      })

      it('DV-02: requires consent again for scopes that were allowed before', async () => {
        await device.approve(await device.start())
        const { user_code } = await device.start()
        expect((await device.enter(user_code)).body).toContain('Give another device access?')
      })

      it('DV-03: needs a client that the operator added, and never allows writing', async () => {
        const app = await App.register(bench, { grant_types: ['authorization_code', DEVICE_CODE_GRANT] })
        expectError(await device.ask({ client_id: app.id }), 'unauthorized_client')
        expectError(await device.ask({ scope: 'openid courses:write' }), 'invalid_scope')
      })

      it('DV-04: requires a new sign-in, if the last one is old', async () => {
        const { user_code } = await device.start()
        const page = await device.enter(user_code)
        later(3601)
        for (const answer of [await device.show(), await device.decide(page, 'allow')]) {
          expect(answer.status).toBe(303)
          expect(answer.header('location')).toMatch(/^\/login\?return_to=%2Foauth%2Fdevice$/)
        }
      })
    })

    it('DV-05: a code that is unknown, answered, expired or no code at all looks the same', async () => {
      const [answered, expired] = [await device.start(), await device.start()]
      await device.approve(answered)
      const pages = [await device.enter('WDJB-MJHT'), await device.enter(answered.user_code)]
      for (const code of ['', 'x', '0'.repeat(5000), '\u0000', 'WDJB-MJH\u{1f600}'])
        pages.push(await device.enter(code))
      later(601)
      pages.push(await device.enter(expired.user_code))
      for (const page of pages) expectPage(page)
      expect(new Set(pages.map(withoutTicket)).size).toBe(1)
    })

    it('DV-06: a form of another site, another user or another request approves nothing', async () => {
      const [one, other] = [await device.start(), await device.start()]
      const page = await device.enter(one.user_code)
      const { action, fields } = formOfPage(page)
      // A browser sends no cookie with it, since that is SameSite=Lax; the cookie alone must not decide.
      const cookie = ['Cookie', await bench.session('alice')] as const
      for (const origin of ['https://evil.example', 'null'])
        expectPage(
          await bench.post(action, [...fields, ['decision', 'allow']], [cookie, ['Origin', origin]]),
          origin,
          403,
        )
      expectPage(await device.decide(page, 'allow', 'bob'))
      const second = formOfPage(await device.enter(other.user_code))
      for (const [target, sent] of [
        [second.action, fields],
        [action, second.fields],
        [action, fields.filter(([name]) => name !== 'ticket')],
        ['/oauth/device', fields],
        ['/oauth/device/decision', fields],
        ['/oauth/device/decision?request=x', fields],
      ] as const)
        expectPage(await bench.post(target, [...sent, ['decision', 'allow']], [cookie]), target)
      for (const started of [one, other]) expectError(await device.poll(started), 'authorization_pending')
    })

    it('DV-08: input of forms and URLs is escaped, and is never a redirect target', async () => {
      for (const text of [
        '"><script>alert(1)</script>',
        'https://evil.example',
        '//evil.example',
        '\r\nX: y',
      ]) {
        const typed = await device.enter(text)
        expectPage(typed, text)
        expect(typed.body).not.toContain('<script')
        const linked = await device.show(`?user_code=${encodeURIComponent(text)}&return_to=//evil.example`)
        expect([linked.status, linked.header('location')], text).toEqual([200, undefined])
        expect(linked.body, text).not.toContain('evil')
      }
    })

    it('DV-09: no event has a code in it', async () => {
      const started = await device.start()
      await device.enter('WDJB-MJHT')
      await device.approve(started)
      await device.poll(started)
      const logged = JSON.stringify(bench.service.events)
      expect(logged).toContain('device_approved')
      for (const code of [started.user_code, started.user_code.replace('-', ''), started.device_code, 'WDJB'])
        expect(logged).not.toContain(code)
    })
  },
  { DEVICE_GRANT: 'integrations' },
)

onBothStores(
  'limits of a device',
  (bench) => {
    const device = new Device(bench)
    beforeAll(() => device.arrange())

    it('DV-10: a user has ten attempts at user codes in ten minutes, and then even a right one is rejected', async () => {
      const { user_code } = await device.start()
      for (let attempt = 0; attempt < 10; attempt++) expectPage(await device.enter('WDJB-MJHT', 'bob'))
      const refused = [await device.enter('WDJB-MJHT', 'bob'), await device.enter(user_code, 'bob')]
      for (const page of refused) {
        expectPage(page, '', 429)
        expect(Number(page.header('retry-after'))).toBeGreaterThan(0)
      }
      expect((await device.enter(user_code)).body, 'another user').toContain('Give another device access?')
    })

    it('DV-11: a device that polls at its interval never gets slow_down, and one that polls faster does', async () => {
      const started = await device.start()
      const errors = new Set<unknown>()
      for (let poll = 0; poll < 18; poll++) errors.add((await device.poll(started)).json().error)
      expect([...errors]).toEqual(['authorization_pending'])
      const slow = (await device.poll(started)).json()
      expect(slow).toMatchObject({ error: 'slow_down', interval: 10 })
      await device.approve(started)
      expect((await device.poll(started)).status).toBe(200)
    })

    it('DV-12: a network can start thirty requests in ten minutes', async () => {
      const answers: number[] = []
      while (answers.length < 40) answers.push((await device.ask()).status)
      expect(new Set(answers.slice(0, 25))).toEqual(new Set([200]))
      expect(answers.at(-1)).toBe(429)
    })
  },
  { DEVICE_GRANT: 'integrations', RATE_LIMITS: 'on' },
)
