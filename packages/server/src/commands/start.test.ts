import { stripVTControlCharacters } from 'node:util'
import { expect, it } from 'vitest'
import { parseConfig } from '../config/config.ts'
import { usualBanner } from './start.ts'

const EXTERNAL = {
  EXTERNAL_SIGN_IN_URL: 'https://app.example/sign-in',
  EXTERNAL_SIGN_IN_KEY: 'a key of at least thirty-two bytes',
}

async function banner(environment: Record<string, string>): Promise<string> {
  const config = parseConfig({ environment })
  const service = { directory: { page: async () => ({ items: [] }) } } as never
  return stripVTControlCharacters(await usualBanner({ config, definition: {} }, service))
}

it('names the command that adds a user only where users are added here', async () => {
  expect(await banner({})).toContain('There are no users yet: npx grantkit users add')
  expect(await banner(EXTERNAL)).not.toContain('users add')
})

it('names the playground only where there is one', async () => {
  expect(await banner({})).toContain('http://127.0.0.1:3000/playground\n')
  expect(await banner({ PLAYGROUND: 'off' })).not.toContain('playground')
  expect(await banner({ NODE_ENV: 'test' })).not.toContain('playground')
})

it('shows the address of the metadata, which is not below the path of the server', async () => {
  const shown = await banner({ BASE_URL: 'https://notes.localhost/auth' })
  expect(shown).toContain('https://notes.localhost/.well-known/oauth-authorization-server/auth\n')
})
