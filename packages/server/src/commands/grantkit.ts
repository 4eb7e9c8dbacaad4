import { defineCommand } from 'citty'
import type { LoadService } from '../definition.ts'
import { afterRestore } from './after-restore.ts'
import { check, doctor } from './check.ts'
import { clients } from './clients.ts'
import { grants, personalTokens } from './grants.ts'
import { identities } from './identities.ts'
import { keys } from './keys.ts'
import { overview, webhooks } from './overview.ts'
import { migrate, start } from './start.ts'
import { trail } from './trail.ts'
import { users } from './users.ts'
import { why } from './why.ts'

/** The program `grantkit`. @param load called by a command with valid arguments */
export const grantkit = (load: LoadService) =>
  defineCommand({
    meta: {
      description:
        'An OAuth 2.0 and OpenID Connect authorization server. --config <file> names its configuration, --version prints the version',
    },
    subCommands: { init, start: start(load), ...operatorCommands(load) },
  })

/** What an operator does with a server that is written and started, for a program of another name. */
export const operatorCommands = (load: LoadService) => ({
  check: check(load),
  migrate: migrate(load),
  'after-restore': afterRestore(load),
  clients: clients(load),
  users: users(load),
  identities: identities(load),
  grants: grants(load),
  'personal-tokens': personalTokens(load),
  keys: keys(load),
  webhooks: webhooks(load),
  trail: trail(load),
  why: why(load),
  doctor: doctor(load),
  overview: overview(load),
})

/** Writes the configuration of a new server. It asks for what the options leave out. */
export const init = defineCommand({
  meta: { description: 'Writes grantkit.config.ts, .env and compose.yaml, and overwrites nothing' },
  args: {
    folder: { type: 'positional', description: 'where to write', required: false, default: '.' },
    name: { type: 'string', description: 'the name of your service' },
    accent: { type: 'string', description: 'the color of links and buttons, as #rrggbb' },
    url: { type: 'string', description: 'the public address of the server' },
    users: { type: 'string', description: 'here, or the sign-in page of an application next to it' },
    database: { type: 'enum', options: ['sqlite', 'postgres'], description: 'where it keeps its data' },
    resource: { type: 'string', description: 'the API or MCP server that accepts the tokens; may be empty' },
    'known-clients': {
      type: 'enum',
      options: ['on', 'off'],
      description: 'on, the default: Claude, ChatGPT, Cursor and others sign in',
    },
    yes: { type: 'boolean', description: 'asks nothing: what is not given is the default' },
  },
  run: async ({ args }) => {
    const { folder, name, accent, url, users, resource, database: store, yes } = args
    const features = args['known-clients'] && (args['known-clients'] === 'on' ? 'known-clients' : 'none')
    const { initServer } = await import('create-grantkit')
    await initServer(folder, { name, accent, url, users, resource, store, features }, yes)
  },
})
