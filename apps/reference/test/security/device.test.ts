import { DEVICE_CODE_GRANT } from '@grantkit/core/device'
import { formOfPage } from '@grantkit/testkit/client'
import { beforeAll, expect, it } from 'vitest'
import { App } from './app.ts'
import { later, onTheService } from './on-the-service.ts'
import { expectError, expectGuardedPage, expectPage } from './safe-answers.ts'
import type { Answer } from './wire.ts'

/** The pages of the device grant, and attacks on them. Its rules are tested in core. */

interface Started {
  readonly device_code: string
  readonly user_code: string
}

/** Without what differs from page to page by its nature. */
function withoutTicket({ body }: Answer): string {
  return body.replace(/name="ticket" value="[^"]+"/, '').replace(/value="[^"]*" maxlength/, '')
}

onTheService(
  'a device',
  (bench) => {
    let client_id: string
    beforeAll(async () => {
      const tool = { clientName: 'Tool', redirectUris: [], tokenEndpointAuthMethod: 'none' }
      const added = await bench.service.clients.add({ ...tool, grantTypes: [DEVICE_CODE_GRANT] })
      client_id = added.clientId
    })

    const ask = (form: Record<string, string> = {}) => {
      const usual = { client_id, scope: 'openid courses:read' }
      return bench.post('/api/oauth/device_authorization', { ...usual, ...form })
    }
    const start = async () => (await ask()).json() as unknown as Started
    const cookie = async () => [['Cookie', await bench.session('alice')]] as const
    const show = async (query = '') => bench.send(`/oauth/device${query}`, { headers: await cookie() })

    /** Types the code into a new form. */
    async function enter(user_code: string): Promise<Answer> {
      const { action, fields } = formOfPage(await show())
      const ticket = fields.find(([name]) => name === 'ticket')?.[1] ?? ''
      return bench.post(action, { ticket, user_code }, await cookie())
    }

    it('DV-01: a link with a user code prefills nothing, looks nothing up, and approves nothing', async () => {
      const started = await start()
      for (const query of [
        `?user_code=${started.user_code}`,
        `?user_code=${started.user_code}&decision=allow`,
      ]) {
        const page = await show(query)
        expect([page.status, page.header('location')]).toEqual([200, undefined])
        expect(page.body).not.toContain(started.user_code)
        expectGuardedPage(page)
      }
      const form = { grant_type: DEVICE_CODE_GRANT, client_id, device_code: started.device_code }
      expectError(await bench.post('/api/oauth/token', form), 'authorization_pending')
    })

    it('DV-01: the page that asks has Deny first, and cannot be framed', async () => {
      const page = await enter((await start()).user_code)
      expect(page.body.indexOf('value="deny"')).toBeGreaterThan(0)
      expect(page.body.indexOf('value="deny"')).toBeLessThan(page.body.indexOf('value="allow"'))
      expectGuardedPage(page)
    })

    it('DV-03: the device grant needs a client that the operator added, and never allows writing', async () => {
      const app = await App.register(bench, { grant_types: ['authorization_code', DEVICE_CODE_GRANT] })
      expectError(await ask({ client_id: app.id }), 'unauthorized_client')
      expectError(await ask({ scope: 'openid courses:write' }), 'invalid_scope')
    })

    it('DV-05: a code that is unknown, answered, expired or no code at all looks the same', async () => {
      const [answered, expired] = [await start(), await start()]
      const { action, fields } = formOfPage(await enter(answered.user_code))
      await bench.post(action, [...fields, ['decision', 'allow']], await cookie())
      const pages = [await enter('WDJB-MJHT'), await enter(answered.user_code)]
      for (const code of ['', 'x', '0'.repeat(5000), '\u0000', 'WDJB-MJH\u{1f600}'])
        pages.push(await enter(code))
      later(601)
      pages.push(await enter(expired.user_code))
      for (const page of pages) expectPage(page)
      expect(new Set(pages.map(withoutTicket)).size).toBe(1)
    })

    it('DV-08: input of forms and URLs is escaped, and is never a redirect target', async () => {
      for (const text of [
        '"><script>alert(1)</script>',
        'https://evil.example',
        '//evil.example',
        '\r\nX: y',
      ]) {
        const typed = await enter(text)
        expectPage(typed, text)
        expect(typed.body).not.toContain('<script')
        const linked = await show(`?user_code=${encodeURIComponent(text)}&return_to=//evil.example`)
        expect([linked.status, linked.header('location')], text).toEqual([200, undefined])
        expect(linked.body, text).not.toContain('evil')
      }
    })
  },
  { DEVICE_GRANT: 'integrations' },
)
