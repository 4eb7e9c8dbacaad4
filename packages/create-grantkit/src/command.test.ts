import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from 'citty'
import { expect, it } from 'vitest'
import { command } from './command.ts'

const FOLDER = join(tmpdir(), 'create-grantkit-that-nobody-writes')

it.each([
  ['an option', ['--yes', '--stor=redis'], '"--stor" is unknown. Did you mean --store?'],
  ['a second folder', ['y', '--yes'], `Name one folder, not ${FOLDER} and y.`],
  ['a folder of packages that is not there', ['--yes', '--packages=gone'], 'there is no folder gone'],
  ['an option without its value', ['--yes', '--store'], '--store: "" is unknown.'],
  ['a name of spaces', ['--yes', '--name= '], '--name must not be empty, not " ".'],
  [
    'a color that is none',
    ['--yes', '--accent=teal'],
    '--accent must be a color such as #0f766e, not "teal".',
  ],
  ['an address of a program', ['--yes', '--url=https://a.example'], '--url is for --app server.'],
  [
    'a framework of a server',
    ['--yes', '--app=server', '--framework=hono'],
    '--framework is for --app api or',
  ],
  ['a question without a terminal', [], 'There is no terminal to ask in: say --yes.'],
])('refuses %s, and writes nothing', async (_, options, message) => {
  await expect(runCommand(command, { rawArgs: [FOLDER, ...options] })).rejects.toThrow(message)
  expect(existsSync(FOLDER)).toBe(false)
})
