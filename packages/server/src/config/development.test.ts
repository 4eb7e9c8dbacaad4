import { stat } from 'node:fs/promises'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { describe, expect, it } from 'vitest'
import { developmentKeysFile, developmentSecret } from './development.ts'
import { readSigningKeys } from './signing-keys-file.ts'

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
