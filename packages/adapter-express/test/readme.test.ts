import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { freePort } from '@grantkit/test-servers/free-port'
import { describe, expect, it } from 'vitest'
import { FORM, JSON_TYPE, post } from './application.ts'

const read = (path: string) => readFile(new URL(path, import.meta.url), 'utf8')
const REDIRECT_URI = 'http://127.0.0.1:7001/callback'
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'

async function accessToken(base: string): Promise<string> {
  const metadata = JSON.stringify({ redirect_uris: [REDIRECT_URI] })
  const registration = await post(`${base}/api/oauth/register`, JSON_TYPE, metadata)
  const { client_id } = (await registration.json()) as { client_id: string }
  const query = new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri: REDIRECT_URI,
    scope: 'notes:read',
    code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const ticket = await (await fetch(`${base}/oauth/authorize?${query}`)).text()
  const decision = new URLSearchParams({ ticket, decision: 'allow', scope: 'notes:read' })
  const consent = { method: 'POST', body: decision, redirect: 'manual' } as const
  const approval = await fetch(`${base}/oauth/consent?${query}`, consent)
  const code = new URL(approval.headers.get('location') ?? '').searchParams.get('code') ?? ''
  const grant = { grant_type: 'authorization_code', client_id, code, redirect_uri: REDIRECT_URI }
  const form = new URLSearchParams({ ...grant, code_verifier: VERIFIER })
  const tokens = await post(`${base}/api/oauth/token`, FORM, `${form}`)
  return ((await tokens.json()) as { access_token: string }).access_token
}

describe('the quick start of the README', () => {
  it('is the program that is compiled and run here', async () => {
    expect(await read('../README.md')).toContain(`\`\`\`ts\n${await read('./quick-start.ts')}\`\`\``)
  })

  it('serves a whole flow', async () => {
    process.env.PORT = `${await freePort()}`
    await import('./quick-start.ts')
    const base = `http://127.0.0.1:${process.env.PORT}`
    const headers = { authorization: `Bearer ${await accessToken(base)}` }
    expect(await (await fetch(`${base}/notes`, { headers })).json()).toEqual(['a note of alice'])
    expect(await (await fetch(`${base}/notes`)).json()).toEqual([])
  })
})
