import { DEVICE_CODE_GRANT } from '@grantkit/core/device'
import { formOfPage } from '@grantkit/testkit/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addTool } from './device-client.ts'
import { type NewStorage, newStorage, type StorageKind, storageUnderTest } from './new-storage.ts'
import { type RunningService, runService } from './service.ts'
import { sessionCookie } from './user.ts'

/** Fifty at once, on every storage, at night on servers too: one decision counts, and one pair of tokens is issued. */

const KINDS: readonly StorageKind[] =
  storageUnderTest === 'sqlite' ? ['memory', 'sqlite'] : [storageUnderTest]
const AT_ONCE = 50
const ROUNDS = 2

describe.each(KINDS)('on %s', (kind) => {
  let storage: NewStorage
  let service: RunningService
  let clientId: string
  beforeAll(async () => {
    storage = await newStorage(kind)
    service = await runService({
      DEVICE_GRANT: 'integrations',
      RATE_LIMITS: 'off',
      REFRESH_RETRY_WINDOW: '60',
      ...storage.environment,
    })
    clientId = (await addTool(service)).clientId
  })
  afterAll(async () => {
    await service.close()
    await storage.close()
  })

  /** Repeats a request after a 503, as a client does: on a busy host a store may be late. */
  async function post(
    path: string,
    form: Record<string, string> | string[][],
    headers = {},
  ): Promise<Response> {
    const sent = { method: 'POST', headers, body: new URLSearchParams(form) }
    const answer = await fetch(new URL(path, service.baseUrl), sent)
    return answer.status === 503 ? post(path, form, headers) : answer
  }

  async function start(): Promise<Record<string, string>> {
    const form = { client_id: clientId, scope: 'courses:read' }
    return (await (await post('/api/oauth/device_authorization', form)).json()) as Record<string, string>
  }

  const poll = async (device_code = '') => {
    const answer = await post('/api/oauth/token', {
      grant_type: DEVICE_CODE_GRANT,
      client_id: clientId,
      device_code,
    })
    return { status: answer.status, body: (await answer.json()) as Record<string, string> }
  }

  /** The form on which a user decides. */
  async function formFor(cookie: string, user_code = '') {
    const read = async (answer: Response) =>
      formOfPage({ status: 200, headers: {}, body: await answer.text() })
    const typing = await read(await fetch(`${service.baseUrl}/oauth/device`, { headers: { cookie } }))
    const fields = [...typing.fields.filter(([name]) => name !== 'user_code'), ['user_code', user_code]]
    const { action, fields: decisionFields } = await read(
      await post(
        typing.action,
        fields.map((field) => [...field]),
        { cookie },
      ),
    )
    return (decision: string) =>
      post(action, [...decisionFields.map((field) => [...field]), ['decision', decision]], { cookie })
  }

  it('one of fifty answers to one request counts, and fifty polls get one pair of tokens', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      service.events.length = 0
      const [cookie, started] = await Promise.all([sessionCookie(service.baseUrl), start()])
      const answer = await formFor(cookie, started.user_code)
      const decisions = Array.from({ length: AT_ONCE }, (_, index) => (index % 2 === 0 ? 'allow' : 'deny'))
      const early = Array.from({ length: 10 }, () => poll(started.device_code))
      const pages = await Promise.all(decisions.map(answer))
      const winners = new Set(decisions.filter((_, index) => pages[index]?.status === 200))
      expect([...winners], 'all responses that report success').toHaveLength(1)
      expect(pages.map(({ status }) => status).filter((status) => status !== 200 && status !== 400)).toEqual(
        [],
      )
      const logged = service.events.filter(
        ({ type }) => type === 'device_approved' || type === 'device_denied',
      )
      const allowed = winners.has('allow')
      expect(logged.map(({ type }) => type)).toEqual([allowed ? 'device_approved' : 'device_denied'])
      for (const { status, body } of await Promise.all(early))
        expect(status === 200 ? 'tokens' : body.error).toMatch(allowed ? /pending|tokens/ : /pending|denied/)

      const polls = await Promise.all(Array.from({ length: AT_ONCE }, () => poll(started.device_code)))
      const answers = new Set(polls.map(({ status, body }) => `${status} ${body.access_token ?? body.error}`))
      expect([...answers]).toEqual([allowed ? expect.stringMatching(/^200 gka_/) : '400 access_denied'])
      const minted = service.events.filter(({ type }) => type === 'device_code_redeemed')
      expect(minted).toHaveLength(allowed ? 1 : 0)
    }
  })
})
