import { resolve } from 'node:path'
import { defineCommand } from 'citty'
import type { LoadService } from '../definition.ts'

import { afterRestore } from './after-restore.ts'
import { check, doctor } from './check.ts'
import { addClient, clients } from './clients.ts'
import { grants, personalTokens } from './grants.ts'
import type { Answers, GivenAnswers } from './init/answers.ts'
import { keys } from './keys.ts'
import { overview, webhooks } from './overview.ts'
import { migrate, start } from './start.ts'
import { trail } from './trail.ts'
import { users } from './users.ts'
import { why } from './why.ts'

/** All commands of the program `grantkit`, for a program with another name. @param load called by a command with valid arguments */
export const grantkit = (load: LoadService) =>
  defineCommand({
    meta: {
      description:
        'An OAuth 2.0 and OpenID Connect authorization server. --config <file> names its configuration',
    },
    subCommands: {
      init,
      check: check(load),
      start: start(load),
      migrate: migrate(load),
      'after-restore': afterRestore(load),
      clients: clients(load, { add: addClient(load) }),
      users: users(load),
      grants: grants(load),
      'personal-tokens': personalTokens(load),
      keys: keys(load),
      webhooks: webhooks(load),
      trail: trail(load),
      why: why(load),
      doctor: doctor(load),
      overview: overview(load),
    },
  })

const FILES = ['grantkit.config.ts', '.env', 'compose.yaml']
const DATABASE_STEP =
  '  docker compose up -d postgres  # or set DATABASE_URL in .env to a Postgres that you have'

/** Writes the configuration of a new server. It asks for what the options leave out. */
export const init = defineCommand({
  meta: { description: 'Writes grantkit.config.ts, .env and compose.yaml, and overwrites nothing' },
  args: {
    folder: { type: 'positional', description: 'where to write', required: false, default: '.' },
    name: { type: 'string', description: 'the name of your service' },
    url: { type: 'string', description: 'the public address of the server' },
    users: { type: 'string', description: 'here, or the sign-in page of an application next to it' },
    database: { type: 'string', description: 'sqlite or postgres' },
    resource: { type: 'string', description: 'the API or MCP server that accepts the tokens; may be empty' },
    'known-clients': {
      type: 'string',
      description: 'on, the default: Claude, ChatGPT, Cursor and others sign in; or off',
    },
    yes: { type: 'boolean', description: 'asks nothing: what is not given is the default' },
  },
  run: async ({ args }) => {
    const { folder, name, url, users, database, resource, yes } = args
    const given = { name, url, users, database, resource, 'known-clients': args['known-clients'] }
    const answers = await answersOf(given, folder, yes)
    const { newSecrets, projectFiles, keepSecretsOut, lacksModuleType, writeFiles } = await import(
      './init/project-files.ts'
    )
    await writeFiles(folder, projectFiles(answers, newSecrets()))
    await keepSecretsOut(folder)
    const first = (await lacksModuleType(folder)) ? ['  npm pkg set type=module'] : []
    const { isPublic } = await import('./init/answers.ts')
    const steps = [...first, ...nextSteps(answers, isPublic(answers))]
    console.log([`\nWritten to ${resolve(folder)}: ${FILES.join(', ')}. Next:\n`, ...steps].join('\n'))
  },
})

async function answersOf(given: GivenAnswers, folder: string, yes = false): Promise<Answers> {
  const { checkAnswers, completed } = await import('./init/answers.ts')
  const { refuseExisting } = await import('./init/project-files.ts')
  checkAnswers(given)
  refuseExisting(folder, FILES)
  if (yes || Object.values(given).every((answer) => answer !== undefined)) return completed(given)
  if (!process.stdin.isTTY) throw new Error('There is no terminal to ask in: say --yes.')
  const { askFor } = await import('./init/answers.ts')
  return completed(await askFor(given))
}

/** By npx, which finds the program in this project and one that is installed for all. */
function nextSteps({ database, users }: Answers, isPublic: boolean): string[] {
  return [
    ...(database === 'postgres' ? [DATABASE_STEP] : []),
    ...(isPublic ? ['  npx grantkit keys rotate'] : []),
    '  npx grantkit check',
    '  npx grantkit start',
    ...(users === 'here' ? ['  npx grantkit users add --email … --name …'] : []),
  ]
}
