import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { parseConfig } from '../src/config/config.ts'
import { keySetText, readSigningKeys } from '../src/config/signing-keys-file.ts'
import { replaceFile } from '../src/config/text-file.ts'
import { ranCommand } from './ran-command.ts'
import { type RunningServer, runServer } from './running-server.ts'
import { signedIn } from './signed-in-browser.ts'

/** `grantkit keys`, while servers run. */

function keysCommand(words: string[], variables: Record<string, string>) {
  const environment = { DATABASE_URL: 'memory:', ...variables }
  // The command reads it, and reports what is wrong with it.
  const server = {
    get config() {
      return parseConfig({ environment })
    },
  }
  return ranCommand(server, ['keys', ...words])
}

/** Longer than the interval in which a server reads its keys again. */
const READ_AGAIN_MS = 6000

/** Replicas whose timers stop until `vi.advanceTimersByTime`. */
async function replicas(environment: Record<string, string>) {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  const running = [await runServer(environment), await runServer(environment)] as const
  onTestFinished(async () => {
    vi.useRealTimers()
    for (const server of running) await server.close()
  })
  return running
}

async function publishedBy({ baseUrl }: RunningServer): Promise<number> {
  vi.advanceTimersByTime(READ_AGAIN_MS)
  const { keys } = (await (await fetch(`${baseUrl}/api/oauth/jwks`)).json()) as { keys: unknown[] }
  return keys.length
}

/** Returns a new ID token at each call, by a refresh. */
async function idTokens({ baseUrl }: RunningServer) {
  let { client_id, refresh_token } = await signedIn(baseUrl, 'openid')
  return async () => {
    const body = new URLSearchParams({ grant_type: 'refresh_token', client_id, refresh_token })
    const answer = await fetch(`${baseUrl}/api/oauth/token`, { method: 'POST', body })
    const tokens = (await answer.json()) as { refresh_token: string; id_token: string }
    refresh_token = tokens.refresh_token
    return tokens.id_token
  }
}

const kidOf = (token: string) => decodeProtectedHeader(token).kid

describe('keys rotate', () => {
  it('creates the file, and rotates its keys while services run, whose tokens stay valid', async () => {
    const KEYS_FILE = join(await temporaryFolder(), 'new folder', 'keys.json')
    const made = await keysCommand(['rotate'], { KEYS_FILE })
    const output = `${KEYS_FILE} is made. The service needs it when it starts.`
    expect(made).toMatchObject({ status: 0, output })

    const [server, other] = await replicas({ KEYS_FILE })
    const idToken = await idTokens(server)
    const old = await idToken()
    const rotated = await keysCommand(['rotate'], { KEYS_FILE })
    expect(rotated.status, rotated.errors).toBe(0)
    expect(rotated.output).toMatch(/RS256 {2}[\w-]{36} {2}signs from 20/)
    expect(rotated.output).not.toContain(JSON.parse(await readFile(KEYS_FILE, 'utf8')).keys[0].d)
    for (const replica of [server, other]) await expect.poll(() => publishedBy(replica)).toBe(6)
    expect(kidOf(await idToken()), 'which is published before it signs').toBe(kidOf(old))

    const begun = (await readSigningKeys(KEYS_FILE)).map((key) =>
      key.signsFrom === undefined ? key : { ...key, signsFrom: key.signsFrom - 1200 },
    )
    await replaceFile(KEYS_FILE, keySetText(begun))
    const isNew = async () => {
      vi.advanceTimersByTime(READ_AGAIN_MS)
      return kidOf(await idToken()) === begun[0]?.kid
    }
    await expect.poll(isNew).toBe(true)
    for (const { baseUrl: issuer } of [server, other]) {
      const keySet = createRemoteJWKSet(new URL(`${issuer}/api/oauth/jwks`))
      for (const token of [old, await idToken()])
        expect((await jwtVerify(token, keySet)).payload.iss).toBe(server.baseUrl)
    }
    expect([...server.errors, ...other.errors]).toEqual([])
  })

  it('removes a compromised key: it is no longer published, and no token signed by it is accepted', async () => {
    const KEYS_FILE = join(await temporaryFolder(), 'keys.json')
    await keysCommand(['rotate'], { KEYS_FILE })
    const [server] = await replicas({ KEYS_FILE, LOGOUT: 'on' })
    const idToken = await idTokens(server)
    const stolen = await idToken()
    const signOut = async (hint: string) =>
      (await fetch(`${server.baseUrl}/oauth/logout?id_token_hint=${hint}`)).status
    expect(await signOut(stolen)).toBe(200)
    const removed = await keysCommand(['remove', '--compromised', String(kidOf(stolen))], { KEYS_FILE })
    const output = expect.stringContaining(`removed  ${kidOf(stolen)}`)
    expect(removed).toMatchObject({ status: 0, output })
    const isRefused = async () => {
      vi.advanceTimersByTime(READ_AGAIN_MS)
      return signOut(stolen)
    }
    await expect.poll(isRefused).toBe(400)
    const keySet = createRemoteJWKSet(new URL(`${server.baseUrl}/api/oauth/jwks`))
    await expect(jwtVerify(stolen, keySet)).rejects.toThrow('no applicable key')
    const fresh = await idToken()
    expect((await jwtVerify(fresh, keySet)).protectedHeader.kid).not.toBe(kidOf(stolen))
    expect(await signOut(fresh)).toBe(200)
  })

  it.each<[Record<string, string>, string]>([
    [{ KEYS_FILE: '/dev/null' }, 'Not rotated. /dev/null is not JSON'],
    [{ ACCESS_TOKEN_LIFETIME: 'long' }, 'ACCESS_TOKEN_LIFETIME must be a number'],
  ])('does nothing with %j, and says why', async (environment, text) => {
    const { status, errors } = await keysCommand(['rotate'], environment)
    expect([status, errors]).toEqual([1, expect.stringContaining(text)])
    expect(errors).not.toContain('    at ')
  })
})
