import { readFile } from 'node:fs/promises'
import { freePort } from '@grantkit/test-servers/free-port'
import { describe, expect, it } from 'vitest'
import { authorizationQuery } from './client.ts'
import { REDIRECT_URI, VERIFIER } from './school.ts'

const read = (path: string) => readFile(new URL(path, import.meta.url), 'utf8')

describe('the quick start of the README', () => {
  it('is the program that is compiled and run here', async () => {
    expect(await read('../README.md')).toContain(await read('./quick-start.ts'))
  })

  it('serves a whole flow', async () => {
    const base = `http://127.0.0.1:${await freePort()}`
    process.env.PORT = base.split(':').at(-1)
    await import('./quick-start.ts')

    const registration = await fetch(`${base}/api/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris: [REDIRECT_URI] }),
    })
    const { client_id } = (await registration.json()) as { client_id: string }
    const query = authorizationQuery(client_id, { scope: 'notes:read' })
    const page = await (await fetch(`${base}/oauth/authorize?${query}`)).text()
    const ticket = /name="ticket" value="([^"]+)"/.exec(page)?.[1] ?? ''
    const approval = await fetch(`${base}/oauth/consent?${query}`, {
      method: 'POST',
      body: new URLSearchParams({ ticket, decision: 'allow', scope: 'notes:read' }),
      redirect: 'manual',
    })
    const code = new URL(approval.headers.get('location') ?? '').searchParams.get('code') ?? ''
    const tokens = await fetch(`${base}/api/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id,
        code,
        redirect_uri: REDIRECT_URI,
        code_verifier: VERIFIER,
      }),
    })
    const { access_token } = (await tokens.json()) as { access_token: string }
    const headers = { authorization: `Bearer ${access_token}` }
    expect(await (await fetch(`${base}/notes`, { headers })).json()).toEqual(['a note of alice'])
    expect(await (await fetch(`${base}/notes`)).json()).toEqual([])
  })
})
