import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceFile } from '@grantkit/server/internal/config/private-file'
import { keySetText, readSigningKeys } from '@grantkit/server/internal/config/signing-keys-file'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { runCommand } from './command.ts'
import { type RunningService, runService } from './service.ts'
import { signedIn } from './tokens.ts'

/** `pnpm grantkit keys`, while services run. */

const keysCommand = (words: string[], environment: Record<string, string>) =>
  runCommand(['keys', ...words], environment)

/** Longer than the interval in which a service reads its keys again. */
const READ_AGAIN_MS = 6000

/** Replicas whose timers stop until `vi.advanceTimersByTime`. */
async function replicas(environment: Record<string, string>) {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  const running = [await runService(environment), await runService(environment)] as const
  onTestFinished(async () => {
    vi.useRealTimers()
    for (const service of running) await service.close()
  })
  return running
}

async function publishedBy({ baseUrl }: RunningService): Promise<number> {
  vi.advanceTimersByTime(READ_AGAIN_MS)
  const { keys } = (await (await fetch(`${baseUrl}/api/oauth/jwks`)).json()) as { keys: unknown[] }
  return keys.length
}

/** Returns a new ID token at each call, by a refresh. */
async function idTokens({ baseUrl }: RunningService) {
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
    const output = `${KEYS_FILE} is made. The service needs it when it starts.\n`
    expect(made).toEqual({ status: 0, output })

    const [service, other] = await replicas({ KEYS_FILE })
    const idToken = await idTokens(service)
    const old = await idToken()
    const rotated = await keysCommand(['rotate'], { KEYS_FILE })
    expect(rotated.status, rotated.output).toBe(0)
    expect(rotated.output).toMatch(/RS256 {2}[\w-]{36} {2}signs from 20/)
    expect(rotated.output).not.toContain(JSON.parse(await readFile(KEYS_FILE, 'utf8')).keys[0].d)
    for (const replica of [service, other]) await expect.poll(() => publishedBy(replica)).toBe(6)
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
    for (const { baseUrl: issuer } of [service, other]) {
      const keySet = createRemoteJWKSet(new URL(`${issuer}/api/oauth/jwks`))
      for (const token of [old, await idToken()])
        expect((await jwtVerify(token, keySet)).payload.iss).toBe(service.baseUrl)
    }
    expect([...service.errors, ...other.errors]).toEqual([])
  })

  it('removes a compromised key: it is no longer published, and no token signed by it is accepted', async () => {
    const KEYS_FILE = join(await temporaryFolder(), 'keys.json')
    await keysCommand(['rotate'], { KEYS_FILE })
    const [service] = await replicas({ KEYS_FILE, LOGOUT: 'on' })
    const idToken = await idTokens(service)
    const stolen = await idToken()
    const signOut = async (hint: string) =>
      (await fetch(`${service.baseUrl}/oauth/logout?id_token_hint=${hint}`)).status
    expect(await signOut(stolen)).toBe(200)
    const removed = await keysCommand(['remove', '--compromised', String(kidOf(stolen))], { KEYS_FILE })
    const output = expect.stringContaining(`removed  ${kidOf(stolen)}`)
    expect(removed).toEqual({ status: 0, output })
    const isRefused = async () => {
      vi.advanceTimersByTime(READ_AGAIN_MS)
      return signOut(stolen)
    }
    await expect.poll(isRefused).toBe(400)
    const keySet = createRemoteJWKSet(new URL(`${service.baseUrl}/api/oauth/jwks`))
    await expect(jwtVerify(stolen, keySet)).rejects.toThrow('no applicable key')
    const fresh = await idToken()
    expect((await jwtVerify(fresh, keySet)).protectedHeader.kid).not.toBe(kidOf(stolen))
    expect(await signOut(fresh)).toBe(200)
  })

  it.each<[Record<string, string>, string]>([
    [{ KEYS_FILE: '/dev/null' }, 'Not rotated. /dev/null is not JSON'],
    [{ ACCESS_TOKEN_LIFETIME: 'long' }, 'ACCESS_TOKEN_LIFETIME must be a number'],
  ])('does nothing with %j, and says why', async (environment, text) => {
    const { status, output } = await keysCommand(['rotate'], environment)
    expect([status, output]).toEqual([1, expect.stringContaining(text)])
    expect(output).not.toContain('    at ')
  })
})
