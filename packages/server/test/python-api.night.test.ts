import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newSigningKeys, type PrivateJwk } from '@grantkit/core'
import { freePort } from '@grantkit/test-servers/free-port'
import { startProgram } from '@grantkit/test-servers/started-program'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose'
import { expect, it, onTestFinished } from 'vitest'
import { keySetText } from '../src/config/signing-keys-file.ts'
import { runServer } from './running-server.ts'
import { signedIn } from './signed-in-browser.ts'

/** The API in Python of docs/how-to/jwt-access-tokens.md, with tokens of a server and with what only its keys could sign. */

const FOLDER = join(import.meta.dirname, '../../../examples/external-sign-in/flask')
const INSTALL = 'python3 -m venv .venv && .venv/bin/pip install --quiet -r requirements.txt'
const START = '.venv/bin/flask --app notes_api run --port $PORT'

const isThere = spawnSync('python3', ['-m', 'venv', '--help']).status === 0
if (!isThere) console.warn('The API in Python cannot run. It needs Python with venv')

/** A server with an API in Python next to it, whose tokens it signs with keys that the test has too. */
async function open() {
  const folder = await temporaryFolder()
  cpSync(FOLDER, folder, { recursive: true })
  execFileSync('sh', ['-ec', INSTALL], { cwd: folder, stdio: 'pipe' })
  const keys = await newSigningKeys()
  const KEYS_FILE = join(folder, 'keys.json')
  writeFileSync(KEYS_FILE, keySetText(keys), { mode: 0o600 })
  const PORT = String(await freePort())
  const resource = `http://127.0.0.1:${PORT}/notes`
  const server = await runServer({ RESOURCES: resource, JWT_ACCESS_TOKENS: 'on', KEYS_FILE })
  onTestFinished(() => server.close())
  const call = await started(folder, PORT, server.baseUrl)
  return { server, keys, resource, call, folder }
}

/** Starts the API. @returns what calls it */
async function started(folder: string, PORT: string, ISSUER: string) {
  const RESOURCE = `http://127.0.0.1:${PORT}/notes`
  const api = await startProgram(START, folder, { PORT, ISSUER, RESOURCE })
  onTestFinished(() => api.close())
  return async (authorization: string) => {
    const response = await fetch(RESOURCE, { headers: authorization === '' ? {} : { authorization } })
    const { status, headers } = response
    return { status, challenge: headers.get('www-authenticate'), body: await response.text() }
  }
}

// Continuous integration has Python: there the test fails without it.
it.skipIf(!isThere && !process.env.CI)(
  'an API in Python lets a user of the server in, and makes the checks of the guard',
  async () => {
    const { server, keys, resource, call, folder } = await open()
    const { access_token } = await signedIn(server.baseUrl, 'notes:read', resource)
    expect(await call(`Bearer ${access_token}`)).toMatchObject({
      status: 200,
      body: '["a note of demo-account"]\n',
    })

    const claims = decodeJwt(access_token)
    const used = decodeProtectedHeader(access_token)
    const own = keys.find(({ kid }) => kid === used.kid) as PrivateJwk
    const [other] = (await newSigningKeys(['ES256'])) as [PrivateJwk]
    const signed = (change: object, header: object = {}, key = own) =>
      new SignJWT({ ...claims, ...change }).setProtectedHeader({ ...used, alg: own.alg, ...header }).sign(key)

    const now = Math.floor(Date.now() / 1000)
    const invalid: Record<string, string> = {
      'no token': '',
      'a text that is no token': 'Bearer x',
      'another scheme': `DPoP ${access_token}`,
      'an ID token': `Bearer ${await signed({}, { typ: 'JWT' })}`,
      'a token for another API': `Bearer ${await signed({ aud: server.baseUrl })}`,
      'a token of another server': `Bearer ${await signed({ iss: 'https://other.example' })}`,
      'a token that has expired': `Bearer ${await signed({ exp: now - 120 })}`,
      'a token that needs a DPoP proof': `Bearer ${await signed({ cnf: { jkt: 'x' } })}`,
      'a token of a client without a user': `Bearer ${await signed({ sub: claims.client_id })}`,
      'a token by another key': `Bearer ${await signed({}, {}, { ...other, kid: own.kid })}`,
      'a token by a key that is not published': `Bearer ${await signed({}, { kid: other.kid }, other)}`,
    }
    for (const [what, authorization] of Object.entries(invalid))
      expect(await call(authorization), what).toMatchObject({
        status: 401,
        challenge: 'Bearer error="invalid_token"',
      })
    expect(await call(`Bearer ${await signed({ scope: 'openid' })}`)).toMatchObject({
      status: 403,
      challenge: 'Bearer error="insufficient_scope", scope="notes:read"',
    })

    // Nothing listens there.
    const withoutKeys = await started(folder, String(await freePort()), 'http://127.0.0.1:1')
    expect(await withoutKeys(`Bearer ${access_token}`)).toMatchObject({ status: 503 })
  },
  600_000,
)
