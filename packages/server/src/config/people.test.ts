import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { describe, expect, it } from 'vitest'
import { problemsOf } from '../../test/problems-of.ts'
import { parseConfig } from './config.ts'

const url = 'https://app.example/sign-in'
const key = 'a shared key of at least 32 bytes'
const EXTERNAL = { EXTERNAL_SIGN_IN_URL: url, EXTERNAL_SIGN_IN_KEY: key }

describe('users', () => {
  it('are those of the application that the environment names', () => {
    expect(parseConfig({ environment: EXTERNAL }).users).toMatchObject({ kind: 'external', url, key })
  })

  it('may have the key in a file', async () => {
    const file = join(await temporaryFolder(), 'key')
    await writeFile(file, `${key}\n`)
    const environment = { EXTERNAL_SIGN_IN_URL: url, EXTERNAL_SIGN_IN_KEY_FILE: file }
    expect(parseConfig({ environment }).users).toMatchObject({ url, key })
  })

  it('may be in the configuration with their key in the environment', () => {
    const config = { users: { kind: 'external' as const, url, checkSeconds: 5 } }
    const environment = { EXTERNAL_SIGN_IN_KEY: key }
    expect(parseConfig({ config, environment }).users).toMatchObject({ url, key, checkSeconds: 5 })
  })

  it('with keys of the application need no shared one, even if the environment has one', () => {
    const config = { users: { kind: 'external' as const, url, keys: 'https://app.example/keys' } }
    const { users } = parseConfig({ config, environment: { EXTERNAL_SIGN_IN_KEY: key } })
    expect(users).toMatchObject({ key: undefined, keys: 'https://app.example/keys' })
  })

  it.each<[string, Record<string, string>, string]>([
    ['no key', { EXTERNAL_SIGN_IN_URL: url }, 'EXTERNAL_SIGN_IN_KEY'],
    ['a short key', { ...EXTERNAL, EXTERNAL_SIGN_IN_KEY: 'short' }, 'has 5 bytes; it must have at least 32'],
    ['a URL on http', { ...EXTERNAL, EXTERNAL_SIGN_IN_URL: 'http://app.example' }, 'must be an https URL'],
    [
      'a missing file',
      { EXTERNAL_SIGN_IN_URL: url, EXTERNAL_SIGN_IN_KEY_FILE: '/none' },
      'cannot be read from /none',
    ],
  ])('with %s are a problem that names the variable', (_, environment, words) => {
    const [problem = '', ...others] = problemsOf(environment)
    expect(problem).toMatch(/^EXTERNAL_SIGN_IN_URL/)
    expect(problem).toContain(words)
    expect(problem).not.toContain('short')
    expect(others).toEqual([])
  })

  it('never have a key that is written into the configuration', () => {
    const [problem] = problemsOf({}, { users: { kind: 'external', url, key } })
    expect(problem).toContain('must not be written into the configuration')
    expect(problem).not.toContain(key)
  })
})
