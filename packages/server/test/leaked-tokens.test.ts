import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import type { DocumentFetch } from '@grantkit/core/client-documents'
import { describe, expect, it } from 'vitest'
import { application } from '../src/service/app.ts'
import { leakedTokens, scannerKeys } from '../src/service/personal-tokens/leaked-tokens.ts'

/** Reports of a secret scanner, as GitHub sends them. */

const URL_OF_KEYS = 'https://scanner.example/keys'

/** A scanner with one key, and how often its keys were fetched. */
function scanner(key = generateKeyPairSync('ec', { namedCurve: 'P-256' })) {
  const pem = key.publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const state = { fetched: 0, status: 200, now: 0, published: [{ key_identifier: 'k1', key: pem }] }
  const fetch: DocumentFetch = async () => {
    state.fetched++
    return { status: state.status, headers: {}, body: JSON.stringify({ public_keys: state.published }) }
  }
  const errors: unknown[] = []
  const keys = scannerKeys(URL_OF_KEYS, fetch, { now: () => state.now, onError: (e) => errors.push(e) })
  return { state, keys, errors, pem, privateKey: key.privateKey }
}

/** The endpoint over a list of live tokens. */
function endpoint(keys: ReturnType<typeof scanner>['keys'], live: string[] = []) {
  const asked: (readonly string[])[] = []
  const endLeaked = async (texts: readonly string[]) => {
    asked.push(texts)
    const found = live.filter((id) => texts.some((text) => text.startsWith(`gkp_${id}.`)))
    return found.map((id) => ({ id, subject: 'ada', label: 'Job' }))
  }
  const app = application({ site: { basePath: '' } as never, onError: () => {} }, [
    leakedTokens({ endLeaked }, keys),
  ])
  const send = (body: string, signature?: string, id = 'k1') =>
    app.request('/api/tokens/leaked', {
      method: 'POST',
      headers: {
        'github-public-key-identifier': id,
        ...(signature !== undefined && { 'github-public-key-signature': signature }),
      },
      body,
    })
  return { asked, send }
}

const signed = (body: string, key: KeyObject) => sign('sha256', Buffer.from(body), key).toString('base64')
const REPORT = JSON.stringify([
  { token: 'gkp_one.secret', type: 'grantkit_pat', url: 'https://github.com/x/y', source: 'content' },
  { token: 'gkp_two.secret', type: 'grantkit_pat' },
  { token: 'gkp_one.secret', type: 'grantkit_pat' },
])

describe('POST /api/tokens/leaked', () => {
  it('ends the tokens of a signed report, each once, and names the real ones', async () => {
    const { keys, privateKey } = scanner()
    const { asked, send } = endpoint(keys, ['one'])
    const answer = await send(REPORT, signed(REPORT, privateKey))
    expect([answer.status, await answer.json()]).toEqual([
      200,
      [{ token_raw: 'gkp_one.secret', token_type: 'grantkit_pat', label: 'true_positive' }],
    ])
    expect(asked).toEqual([['gkp_one.secret', 'gkp_two.secret']])
  })

  it('accepts the example of the documentation of GitHub', async () => {
    const { keys, state } = scanner()
    state.published = [
      {
        key_identifier: 'f9525bf080f75b3506ca1ead061add62b8633a346606dc5fe544e29231c6ee0d',
        key: `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEsz9ugWDj5jK5ELBK42ynytbo38gP
HzZFI03Exwz8Lh/tCfL3YxwMdLjB+bMznsanlhK0RwcGP3IDb34kQDIo3Q==
-----END PUBLIC KEY-----`,
      },
    ]
    const body = '[{"token":"some_token","type":"some_type","url":"some_url","source":"some_source"}]'
    const signature =
      'MEUCIFLZzeK++IhS+y276SRk2Pe5LfDrfvTXu6iwKKcFGCrvAiEAhHN2kDOhy2I6eGkOFmxNkOJ+L2y8oQ9A2T9GGJo6WJY='
    const { send } = endpoint(keys)
    const { status } = await send(body, signature, state.published[0]?.key_identifier)
    expect(status).toBe(200)
  })

  it.each([
    ['without a signature', () => undefined],
    ['with a signature of another text', (key: KeyObject) => signed('[]', key)],
    ['with a signature that is none', () => 'AAAA'],
    ['signed with another key', () => signed(REPORT, scanner().privateKey)],
  ])('refuses a report %s', async (_, signatureOf) => {
    const { keys, privateKey } = scanner()
    const { asked, send } = endpoint(keys, ['one'])
    expect((await send(REPORT, signatureOf(privateKey))).status).toBe(403)
    expect(asked).toEqual([])
  })

  it('refuses a key that is not of ECDSA on P-256', async () => {
    const { keys, privateKey } = scanner(generateKeyPairSync('ec', { namedCurve: 'P-384' }))
    expect((await endpoint(keys).send(REPORT, signed(REPORT, privateKey))).status).toBe(403)
  })

  it.each(['{}', 'null', '[{"type":"x"}]', '[', `[${'{"token":"x"},'.repeat(1001)}{"token":"x"}]`])(
    'answers 400 for a signed body that is no report: %.20s',
    async (body) => {
      const { keys, privateKey } = scanner()
      expect((await endpoint(keys).send(body, signed(body, privateKey))).status).toBe(400)
    },
  )

  it('answers 503 while the keys cannot be fetched', async () => {
    const { keys, state, errors, privateKey } = scanner()
    state.status = 500
    const answer = await endpoint(keys).send(REPORT, signed(REPORT, privateKey))
    expect([answer.status, errors.length]).toEqual([503, 1])
  })
})

describe('the keys of a secret scanner', () => {
  const MINUTE = 60_000

  it('are fetched once for many reports, and again after a day', async () => {
    const { keys, state } = scanner()
    await Promise.all([keys.find('k1'), keys.find('k1')])
    await keys.find('k1')
    expect(state.fetched).toBe(1)
    state.now = 25 * 60 * MINUTE
    await keys.find('k1')
    expect(state.fetched).toBe(2)
  })

  it('are fetched for an unknown key at most once in five minutes', async () => {
    const { keys, state, pem } = scanner()
    for (let times = 0; times < 10; times++) expect(await keys.find('k2')).toBeUndefined()
    expect(state.fetched).toBe(1)
    state.published = [{ key_identifier: 'k2', key: pem }]
    state.now = 6 * MINUTE
    expect(await keys.find('k2')).toBeDefined()
    expect(state.fetched).toBe(2)
  })

  it('stay when a later fetch fails', async () => {
    const { keys, state } = scanner()
    await keys.find('k1')
    Object.assign(state, { now: 25 * 60 * MINUTE, status: 500 })
    expect(await keys.find('k1')).toBeDefined()
  })
})
