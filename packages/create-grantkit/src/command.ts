import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { defineCommand } from 'citty'
import { askChoices, askFolder, DEFAULT_FOLDER } from './ask.ts'
import {
  APPS,
  type AppName,
  type Choices,
  completed,
  DEFAULTS,
  FEATURES,
  FRAMEWORKS,
  LANGUAGES,
  namesOf,
  PAGES,
  STORES,
} from './choices.ts'
import { checkAbsent, checkEmpty, configureServer, createProject } from './create-project.ts'
import { installation } from './program-files.ts'
import { ChoiceError, checkArguments, readChoices, type TypedChoices, unknownValue } from './read-choices.ts'
import { isPublic, SERVER_FILES } from './server-files.ts'

const among = (choices: object) => namesOf(choices as Record<string, unknown>).join(', ')

const args = {
  folder: { type: 'positional', description: 'the new folder', required: false },
  app: { type: 'string', description: `what it protects: ${among(APPS)}` },
  name: { type: 'string', description: 'the name of your service' },
  accent: { type: 'string', description: 'the color of links and buttons, as #rrggbb' },
  framework: { type: 'string', description: among(FRAMEWORKS) },
  store: { type: 'string', description: among(STORES) },
  pages: { type: 'string', description: among(PAGES) },
  languages: { type: 'string', description: `${LANGUAGES.join(', ')}; with commas, the default first` },
  features: { type: 'string', description: `${among(FEATURES)}; with commas; or all, or none` },
  url: { type: 'string', description: 'of a server: its public address' },
  users: { type: 'string', description: 'of a server: here, or the sign-in page of your application' },
  resource: { type: 'string', description: 'of a server: what accepts its tokens; may be empty' },
  packages: { type: 'string', description: 'a folder with tarballs of the packages' },
  yes: { type: 'boolean', description: 'asks nothing: what is not given is the default' },
} as const

/** `npm create grantkit`. It throws a `ChoiceError`, and has written nothing, if it cannot do what the arguments say. */
export const command = defineCommand({
  meta: { name: 'create-grantkit', description: 'Writes an authorization server that starts.' },
  args,
  run: async ({ args: typed }) => {
    checkWords(typed)
    await create(typed)
  },
})

interface Typed extends TypedChoices {
  readonly folder?: string | undefined
  readonly packages?: string | undefined
  readonly yes?: boolean | undefined
}

async function create({ folder: named, packages, yes, ...typed }: Typed): Promise<void> {
  const given = readChoices(typed)
  if (named !== undefined) checkEmpty(named)
  const asks = !yes && (named === undefined || given.app === undefined || isOpen(given.app, given))
  if (asks) checkTerminal()
  checkArguments(given.app ?? (asks ? undefined : DEFAULTS.app), given)
  const folder = named ?? (asks ? await askFolder(checkEmpty) : DEFAULT_FOLDER)
  const choices = asks ? await askChoices(given) : completed(given)
  await createProject(folder, choices, { packages })
  const install = installation(packages === undefined ? 'registry' : 'tarballs')
  const users = 'Every visitor is Alice, at a loopback address only, until interaction.ts has your session.'
  const [about, steps] = choices.app === 'server' ? ['', serverSteps(choices)] : [` ${users}`, ['npm start']]
  console.log(['', `${folder} is written.${about}`, '', `cd ${folder}`, install, ...steps].join('\n'))
}

/**
 * `grantkit init`: writes the configuration of a server that is installed in a folder, and asks for what is left out.
 *
 * @throws ChoiceError, and has written nothing, if it cannot do what the arguments say
 */
export async function initServer(folder: string, typed: TypedChoices, yes = false): Promise<void> {
  const given = readChoices({ ...typed, app: 'server' })
  checkAbsent(folder, SERVER_FILES)
  const asks = !yes && isOpen('server', given)
  if (asks) checkTerminal()
  const choices = asks ? await askChoices(given) : completed(given)
  configureServer(folder, choices)
  const steps = [...(lacksModuleType(folder) ? ['npm pkg set type=module'] : []), ...serverSteps(choices)]
  const written = `Written to ${resolve(folder)}: ${SERVER_FILES.join(', ')}. Next:`
  console.log(['', written, '', ...steps.map((step) => `  ${step}`)].join('\n'))
}

function checkTerminal(): void {
  if (!process.stdin.isTTY) throw new ChoiceError('There is no terminal to ask in: say --yes.')
}

const ASKED = {
  program: ['name', 'framework', 'store', 'pages', 'features'],
  server: ['name', 'url', 'users', 'store', 'resource', 'features'],
} as const

function isOpen(app: AppName, given: Partial<Choices>): boolean {
  return ASKED[app === 'server' ? app : 'program'].some((name) => given[name] === undefined)
}

/** By npx, which finds the program in this project and one that is installed for all. */
function serverSteps(choices: Choices): string[] {
  const database = 'docker compose up -d postgres  # or set DATABASE_URL in .env to a Postgres that you have'
  return [
    ...(choices.store === 'postgres' ? [database] : []),
    ...(isPublic(choices) ? ['npx grantkit keys rotate'] : []),
    'npx grantkit check',
    'npx grantkit start',
    ...(choices.users === 'here' ? ['npx grantkit users add --email … --name …'] : []),
  ]
}

/** Whether a `package.json` there makes a TypeScript file with `export` a CommonJS module, which cannot be read. */
function lacksModuleType(folder: string): boolean {
  const file = join(folder, 'package.json')
  return existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).type !== 'module'
}

/** citty takes every option, and any number of folders. */
function checkWords({ _: folders, ...options }: { readonly _: readonly string[] }): void {
  const known = Object.keys(args).map((name) => `--${name}`)
  const unknown = Object.keys(options).find((name) => !(name in args))
  if (unknown !== undefined) throw new ChoiceError(unknownValue(`--${unknown}`, known))
  if (folders.length > 1) throw new ChoiceError(`Name one folder, not ${folders.join(' and ')}.`)
}
