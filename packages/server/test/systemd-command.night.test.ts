import { execFile } from 'node:child_process'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseEnv, promisify } from 'node:util'
import { PROGRAM_ENVIRONMENT } from '@grantkit/test-servers/program-environment'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { expect, it } from 'vitest'
import { shellLines } from '../../../docs/test/shell-lines.ts'
import { parseConfig } from '../src/config/config.ts'
import { ranCommand } from './ran-command.ts'

/**
 * The wrapper program that runs commands with the environment of the systemd unit, with other addresses and another
 * user.
 */

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
/** The page of the command. It creates the keys and the tables, and adds the user of the other pages. */
const PAGE = 'docs/operations.md'
const OTHER_PAGES = /^docs\/(operations\/|server)/
/** The command looks for it in the database of the server, which has no such sign-in. */
const EXAMPLE_REFERENCE = /^grantkit why \w{4}-\w{4}/
const SHIPPED = join(ROOT, 'docs/operations/grantkit')

/** The settings of a new server, and what runs a line of shell with that program on the path. */
async function machine() {
  const folder = await temporaryFolder()
  const here = {
    '/opt/grantkit/': ROOT,
    '/etc/grantkit': folder,
    'runuser -u grantkit -- /usr/bin/node': process.execPath,
  }
  const program = Object.entries(here).reduce(
    (text, [there, own]) => {
      expect(text).toContain(there)
      return text.replaceAll(there, own)
    },
    await readFile(SHIPPED, 'utf8'),
  )
  await writeFile(join(folder, 'grantkit'), program)
  await chmod(join(folder, 'grantkit'), 0o755)
  await writeFile(join(folder, '.env'), settingsIn(folder))
  const type = async (line: string) => {
    const env = { ...PROGRAM_ENVIRONMENT, PATH: `${folder}:${process.env.PATH}` }
    const running = promisify(execFile)('sh', ['-c', line], { cwd: folder, env })
    running.child.stdin?.end('a long passphrase\n')
    return (await running).stdout
  }
  const users = join(folder, 'users.json')
  await writeFile(users, JSON.stringify([{ pk: 7, fields: { email: 'zoe@example.com', password: '!' } }]))
  return { settings: { NODE_ENV: 'production', ...parseEnv(settingsIn(folder)) }, type, users }
}

function settingsIn(folder: string): string {
  return `BASE_URL=https://auth.notes.example
DATABASE_URL=sqlite:${folder}/server.sqlite
SECRET=${'x'.repeat(32)}
KEYS_FILE=${folder}/keys.json
`
}

const linesOf = (isIts: (page: string) => boolean) =>
  shellLines().flatMap(({ line, page }) => (line.startsWith('grantkit ') && isIts(page) ? [line] : []))

it('every documented command works with the settings of the server', async () => {
  const { settings, type, users } = await machine()
  for (const line of linesOf((page) => page === PAGE)) await type(line)
  expect(await type('grantkit users list')).toContain('ada@example.com')
  const config = parseConfig({ environment: settings })
  const others = linesOf((page) => OTHER_PAGES.test(page))
  expect(others).not.toEqual([])
  for (const line of others) {
    const words = line.split(' ').map((word) => (word === 'users.json' ? users : word))
    const { status, errors } = await ranCommand({ config }, words.slice(1))
    if (EXAMPLE_REFERENCE.test(line)) expect(errors).toContain('No sign-in with the reference')
    else expect({ status, errors }, line).toMatchObject({ status: 0 })
  }
})

it('a misspelled command ends with an error', async () => {
  const { type } = await machine()
  await expect(type('grantkit user list')).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Did you mean users?'),
  })
})
