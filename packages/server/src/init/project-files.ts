import { randomBytes } from 'node:crypto'
import { type Answers, DEFAULTS, isPublic } from './answers.ts'
import { composeFile } from './compose-file.ts'

const DEFAULT_PORT = new URL(DEFAULTS.url).port

/** Secrets for one project. */
export interface ProjectSecrets {
  readonly secret: string
  readonly databasePassword: string
  readonly signInKey: string
}

export function newSecrets(): ProjectSecrets {
  const random = () => randomBytes(32).toString('base64url')
  // It becomes part of a URL.
  return { secret: random(), databasePassword: randomBytes(20).toString('hex'), signInKey: random() }
}

/** The files of a project by name. Only `.env` has secrets. */
export function projectFiles(answers: Answers, secrets: ProjectSecrets): Readonly<Record<string, string>> {
  return {
    'grantkit.config.ts': configFile(answers),
    '.env': environmentFile(answers, secrets),
    'compose.yaml': composeFile(answers),
  }
}

function configFile(answers: Answers): string {
  return `import type { ServerConfig } from '@grantkit/server'

export default {
${membersOf(answers)
  .map((member) => `  ${member},\n`)
  .join('')}} satisfies ServerConfig
`
}

function membersOf(answers: Answers): readonly string[] {
  const { name, url, users, database, resource, knownClients } = answers
  return [
    `baseUrl: ${quoted(url)}`,
    ...portMember(url),
    `brand: { name: ${quoted(name)} }`,
    ...(resource === undefined
      ? []
      : [scopes(name), `resources: { ${quoted(resource)}: { accessTokens: 'jwt' } }`]),
    ...(users === 'here' ? [] : [usersMember(users.application)]),
    ...(knownClients ? [KNOWN_CLIENTS] : []),
    ...(database === 'sqlite' ? [`database: 'sqlite:data/service.sqlite'`] : []),
    ...(isPublic(answers) ? [`keysFile: 'data/keys.json'`] : []),
  ]
}

/** No proxy is in front of an address of this machine, so the server itself listens there. */
function portMember(url: string): readonly string[] {
  const { protocol, port } = new URL(url)
  return protocol === 'http:' && port !== '' && port !== DEFAULT_PORT ? [`port: ${port}`] : []
}

function scopes(name: string): string {
  const area =
    name
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-|-$/g, '') || 'service'
  return `scopes: {
    openid: { description: 'Confirm who you are' },
    profile: { description: 'See your name and profile' },
    email: { description: 'See your e-mail address' },
    // Your own. Clients request those with baseline: true. With access: 'read' an app can change nothing.
    ${quoted(`${area}:use`)}: { description: ${quoted(`Use ${name}`)}, baseline: true, access: 'write' },
  }`
}

const KNOWN_CLIENTS = `// Claude, ChatGPT, Cursor and others: \`grantkit clients known\` lists them.
  features: { knownClients: 'on' }`

function usersMember(url: string): string {
  return `users: { kind: 'external', url: ${quoted(url)}, key: { env: 'EXTERNAL_SIGN_IN_KEY' } }`
}

function environmentFile(
  { database, users }: Answers,
  { secret, databasePassword, signInKey }: ProjectSecrets,
): string {
  const lines = [
    '# Secrets. Keep them, and keep them out of version control.',
    `SECRET=${secret}`,
    ...(users === 'here'
      ? []
      : ['# Your application needs the same key.', `EXTERNAL_SIGN_IN_KEY=${signInKey}`]),
    ...(database === 'sqlite'
      ? []
      : [
          `POSTGRES_PASSWORD=${databasePassword}`,
          '# For a server outside of containers: `docker compose up -d postgres` starts this database.',
          `DATABASE_URL=postgres://grantkit:${databasePassword}@127.0.0.1:5432/grantkit`,
        ]),
  ]
  return `${lines.join('\n')}\n`
}

/** As Biome and Prettier would write it. */
function quoted(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"')
  return `'${escaped.replaceAll("'", "\\'")}'`
}
