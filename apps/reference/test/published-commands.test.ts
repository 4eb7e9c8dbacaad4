import { readFileSync } from 'node:fs'
import { grantkit } from '@grantkit/server/commands'
import { sessionCookie } from '@grantkit/test-servers/session-cookie'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runCommand } from './command.ts'
import { runService } from './service.ts'

/** `pnpm grantkit`, next to the published program `grantkit`. */

const COMMAND_PAGE = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8')

/** The rows of the page: a command of `grantkit`, and what it is in this repository. */
const RENAMED = [...COMMAND_PAGE.matchAll(/^\| `([a-z ]+)` \| (?:`pnpm ([a-z ]+)` )?\|$/gm)].map(
  ([, published = '', own = '']) => ({ published, own }),
)
const PUBLISHED = Object.keys(
  grantkit(() => Promise.reject(new Error('It runs no command'))).subCommands ?? {},
)

describe('`pnpm grantkit`', () => {
  it('has every command of `grantkit` by its name, except for those in the table of docs/cli.md', async () => {
    const { output } = await runCommand(['--help'], {})
    const [, names = ''] = /USAGE pnpm grantkit (\S+)/.exec(output) ?? []
    const renamed = RENAMED.map(({ published }) => published)
    expect(names.split('|')).toEqual(
      expect.arrayContaining(PUBLISHED.filter((name) => !renamed.includes(name))),
    )
  })

  it.each(RENAMED.filter(({ own }) => own.startsWith('grantkit ')))(
    'has `$own` for `grantkit $published`',
    async ({ own }) => {
      const { output } = await runCommand([...own.split(' ').slice(1), '--help'], {})
      expect(output).toMatch(new RegExp(`^USAGE pnpm ${own}( |$)`, 'm'))
    },
  )

  it('names the doctor on the page of a failed sign-in', async () => {
    const { baseUrl, accounts, close } = await runService()
    onTestFinished(close)
    await accounts.setAdmin('demo-account', true)
    const request = new URLSearchParams({ client_id: 'gone', response_type: 'code' })
    const { headers } = await fetch(`${baseUrl}/oauth/authorize?${request}`)
    const why = `${baseUrl}/admin/why/${headers.get('grantkit-reference')}`
    const page = await fetch(why, { headers: { cookie: await sessionCookie(baseUrl) } })
    expect(await page.text()).toContain(`<code>pnpm grantkit doctor ${baseUrl}</code>, the check`)
  })
})
