import { rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { newSigningKeys, type PrivateJwk } from '@grantkit/core'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  developmentKeysFile,
  developmentSecret,
  followSigningKeys,
  keySetText,
  newKeys,
  readSigningKeys,
  removeFromKeysFile,
  rotateKeysFile,
} from './signing-keys-file.ts'
import { replaceFile } from './text-file.ts'

const NOON = 1_800_000_000
const OPTIONS = { profile: undefined, lifetime: 3600 }

async function ecKey(): Promise<PrivateJwk> {
  const [key] = await newSigningKeys(['ES256'])
  return key as PrivateJwk
}

async function openFile() {
  const path = join(await temporaryFolder(), 'keys.json')
  const text = keySetText(await newSigningKeys(['ES256']))
  await replaceFile(path, text)
  const errors: Error[] = []
  const closing = new AbortController()
  onTestFinished(() => closing.abort())
  const onError = (error: unknown) => void errors.push(error as Error)
  const keys = await followSigningKeys(path, undefined, onError, closing.signal, 10)
  return { path, text, errors, keys, closing }
}

describe('a file of signing keys', () => {
  it('is rotated: a new key for each algorithm is placed before the earlier ones', async () => {
    const { path } = await openFile()
    const [old] = await readSigningKeys(path)
    await rotateKeysFile(path, OPTIONS, NOON)
    const rotated = await readSigningKeys(path)
    expect(rotated).toEqual([
      expect.objectContaining({ alg: 'ES256', use: 'sig', signsFrom: NOON + 1200 }),
      old,
    ])
    expect(rotated[0]?.kid).not.toBe(old?.kid)
    expect((await stat(path)).mode & 0o077, 'only its owner may read it').toBe(0)
    expect(await rotateKeysFile(path, OPTIONS, NOON + 24 * 3600), 'the first one is gone').toEqual([
      expect.objectContaining({ signsFrom: NOON + 25 * 3600 - 2400 }),
      rotated[0],
    ])
  })

  it('gets no RS256 key with the profile, even if it has one', async () => {
    const { path } = await openFile()
    await replaceFile(path, keySetText(await newSigningKeys(['RS256', 'ES256'])))
    const rotated = await rotateKeysFile(path, { ...OPTIONS, profile: 'fapi2' }, NOON)
    expect(rotated.map(({ alg }) => alg)).toEqual(['ES256', 'RS256', 'ES256'])
    expect((await newKeys('fapi2')).map(({ alg }) => alg)).toEqual(['ES256', 'EdDSA'])
  })

  it('drops a compromised key at once, and another key signs', async () => {
    const { path } = await openFile()
    const [old] = await readSigningKeys(path)
    const [next] = await rotateKeysFile(path, OPTIONS, NOON)
    expect(await removeFromKeysFile(path, undefined, [old?.kid ?? '']), 'the next one is there').toEqual([
      next,
    ])
    const [fresh, ...others] = await removeFromKeysFile(path, undefined, [])
    expect(fresh, 'all of them').toMatchObject({ alg: 'ES256' })
    expect([fresh?.kid === next?.kid, fresh?.signsFrom, others]).toEqual([false, undefined, []])
    await expect(removeFromKeysFile(path, undefined, ['k'])).rejects.toThrow('has no key k')
  })

  it('is reloaded while it is in use, and returns the same array until it changes', async () => {
    const { path, keys } = await openFile()
    const before = keys()
    await replaceFile(path, `${keySetText(before)}\n`)
    const rotated = await rotateKeysFile(path, OPTIONS, NOON)
    await expect.poll(keys).toEqual(rotated)
    expect(keys()).toBe(keys())
  })

  it.each([
    [
      'whose key is for another algorithm than it says',
      async (path: string) => replaceFile(path, keySetText([{ ...(await ecKey()), alg: 'RS256' }])),
      'cannot sign by RS256',
    ],
    [
      'whose private half is of another key',
      async (path: string) => replaceFile(path, keySetText([{ ...(await ecKey()), d: (await ecKey()).d }])),
      'cannot sign by ES256',
    ],
    [
      'whose private half is cut off',
      async (path: string) => replaceFile(path, keySetText([{ ...(await ecKey()), d: 'AQ' }])),
      'cannot sign by ES256',
    ],
    ['that is not JSON', (path: string) => replaceFile(path, '{"keys": [{"d": "a-secret'), 'is not JSON'],
    ['without private keys', (path: string) => replaceFile(path, '{"keys":[{"kty":"EC"}]}'), 'is no set'],
    ['without keys', (path: string) => replaceFile(path, '{"keys":[]}'), 'is no set'],
    ['that is gone', (path: string) => rm(path), 'ENOENT'],
  ])('%s leaves the earlier keys in place, is reported once, and can be mended', async (_, harm, cause) => {
    const { path, text, errors, keys } = await openFile()
    const before = keys()
    await harm(path)
    await expect.poll(() => errors).toHaveLength(1)
    expect(errors[0]).toMatchObject({
      message: 'The earlier signing keys stay in use',
      cause: { message: expect.stringContaining(cause) },
    })
    expect(String(errors[0]?.cause)).not.toContain('a-secret')
    expect(keys()).toBe(before)
    await replaceFile(path, text.replace('"use"', '"mended": 1, "use"'))
    await expect.poll(() => keys()[0]).toHaveProperty('mended')
    expect(errors).toHaveLength(1)
  })

  it('is not read again after the server is closed', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const { closing } = await openFile()
      expect(vi.getTimerCount()).toBe(1)
      closing.abort()
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })

  it('fails the start if it is invalid', async () => {
    const path = join(await temporaryFolder(), 'keys.json')
    const followed = () => followSigningKeys(path, undefined, () => {}, new AbortController().signal)
    await expect(followed()).rejects.toThrow('The command "keys rotate" creates it.')
    await writeFile(path, 'no')
    await expect(followed()).rejects.toThrow('is not JSON')
  })
})

describe('the generated secrets of development', () => {
  it('are created once, even if two processes start at once', async () => {
    const folder = await temporaryFolder()
    const secrets = await Promise.all([developmentSecret(folder), developmentSecret(folder)])
    expect(new Set([...secrets, await developmentSecret(folder)]).size).toBe(1)
    expect(secrets[0]?.length).toBeGreaterThanOrEqual(32)
  })

  it('sign with every algorithm, and are readable by their owner only', async () => {
    const path = await developmentKeysFile(await temporaryFolder())
    expect((await readSigningKeys(path)).map(({ alg }) => alg)).toEqual(['RS256', 'ES256', 'EdDSA'])
    expect((await stat(path)).mode & 0o077).toBe(0)
  })
})
