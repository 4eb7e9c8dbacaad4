import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { expect, it } from 'vitest'
import { grantkitProgram } from './grantkit-program.ts'

it('grantkit starts in an empty folder, and answers with its metadata', async () => {
  // Vite sets another.
  const { url } = await grantkitProgram(await temporaryFolder(), { BASE_URL: '' }).start()
  const metadata = await fetch(`${url}/.well-known/oauth-authorization-server`)
  expect(await metadata.json()).toMatchObject({ issuer: url })
})
