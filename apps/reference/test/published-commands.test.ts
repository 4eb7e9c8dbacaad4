import { sessionCookie } from '@grantkit/test-servers/session-cookie'
import { expect, it, onTestFinished } from 'vitest'
import { runService } from './service.ts'

it('the page of a failed sign-in names the doctor as `pnpm grantkit` has it', async () => {
  const { baseUrl, accounts, close } = await runService()
  onTestFinished(close)
  await accounts.setAdmin('demo-account', true)
  const request = new URLSearchParams({ client_id: 'gone', response_type: 'code' })
  const { headers } = await fetch(`${baseUrl}/oauth/authorize?${request}`)
  const why = `${baseUrl}/admin/why/${headers.get('grantkit-reference')}`
  const page = await fetch(why, { headers: { cookie: await sessionCookie(baseUrl) } })
  expect(await page.text()).toContain(`<code>pnpm grantkit doctor ${baseUrl}</code>, the check`)
})
