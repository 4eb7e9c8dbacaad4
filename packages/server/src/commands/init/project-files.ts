import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Answers, DEFAULTS, isPublic } from './answers.ts'

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

/** The server in containers: in production mode behind a proxy that does TLS, or on this machine at an http address. */
function composeFile(answers: Answers): string {
  const usesPostgres = answers.database === 'postgres'
  return `# docker compose up -d, then: docker compose exec grantkit grantkit check
# Secrets come from .env.
services:
  grantkit:
    # No registry has the image. Compose builds it from the repository, or from a clone: GRANTKIT_SOURCE=../grantkit
    build: &build \${GRANTKIT_SOURCE:-https://github.com/grantkit/grantkit.git}
    image: grantkit-server
    restart: unless-stopped
    # Longer than DRAIN_SECONDS and the requests that are being answered.
    stop_grace_period: 30s
    environment: &environment
${modeAndAddress(answers)}
      # The configuration may name the port of your machine.
      PORT: "3000"
      SECRET: \${SECRET:?at least 32 random characters}
      KEYS_FILE: /data/keys.json
      DATABASE_URL: ${databaseUrl(answers)}
${externalKey(answers)}    ports:
      - "127.0.0.1:${publishedPort(answers)}:3000"
    volumes: &volumes
      - ./grantkit.config.ts:/config/grantkit.config.ts:ro
      - data:/data
    depends_on:
      keys:
        condition: service_completed_successfully
${usesPostgres ? HEALTHY_POSTGRES : ''}
  # Creates the signing keys once.
  keys:
    build: *build
    image: grantkit-server
    entrypoint: [sh, -c]
    command: ["test -f /data/keys.json || grantkit keys rotate"]
    environment: *environment
    volumes: *volumes
${usesPostgres ? `    depends_on:\n${HEALTHY_POSTGRES}${POSTGRES}` : ''}
volumes:
  data:
${usesPostgres ? '  postgres:\n' : ''}`
}

/** The image is for production, which refuses an http address. */
function modeAndAddress({ url }: Answers): string {
  return isHttps(url)
    ? `      BASE_URL: ${url}
      # The proxy in front of it, which does TLS.
      TRUST_PROXY: "1"`
    : `      # For this machine only. For others: no NODE_ENV here, an https BASE_URL, and TRUST_PROXY for your proxy.
      NODE_ENV: development
      BASE_URL: ${url}`
}

/** The port of a proxy on this machine, or of its browsers. */
function publishedPort({ url }: Answers): string {
  return isHttps(url) ? '3000' : new URL(url).port || '80'
}

const isHttps = (url: string) => url.startsWith('https://')

function databaseUrl({ database }: Answers): string {
  return database === 'postgres'
    ? 'postgres://grantkit:$' + '{POSTGRES_PASSWORD:?letters and digits, at least 20}@postgres/grantkit'
    : 'sqlite:/data/service.sqlite'
}

function externalKey({ users }: Answers): string {
  if (users === 'here') return ''
  return '      EXTERNAL_SIGN_IN_KEY: $' + '{EXTERNAL_SIGN_IN_KEY:?the key that the application has too}\n'
}

const HEALTHY_POSTGRES = `      postgres:
        condition: service_healthy
`

const POSTGRES = `
  postgres:
    image: postgres:18-alpine
    restart: unless-stopped
    environment:
      POSTGRES_USER: grantkit
      POSTGRES_DB: grantkit
      POSTGRES_PASSWORD: \${POSTGRES_PASSWORD:?letters and digits, at least 20}
    ports:
      - "127.0.0.1:5432:5432"
    volumes:
      - postgres:/var/lib/postgresql
    healthcheck:
      # Over TCP: while the image creates its first database, a server runs that listens on its socket alone.
      test: [CMD, pg_isready, --host, 127.0.0.1, --username, grantkit]
      interval: 5s
`

/** @throws Error that names the files that are there already */
export function refuseExisting(folder: string, names: readonly string[]): void {
  const there = names.filter((name) => existsSync(join(folder, name)))
  if (there.length > 0) throw new Error(`Nothing was written: ${there.join(', ')} is there already.`)
}

/** Writes all files, or none. `.env` is readable by its owner only. */
export async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(folder, { recursive: true })
  const written: string[] = []
  try {
    for (const [name, content] of Object.entries(files)) {
      // Exclusively: another program may write there meanwhile.
      await writeFile(join(folder, name), content, { flag: 'wx', mode: name === '.env' ? 0o600 : 0o644 })
      written.push(name)
    }
  } catch (error) {
    for (const name of written) await rm(join(folder, name))
    throw error
  }
}

/** Whether a `package.json` there makes a TypeScript file with `export` a CommonJS module, which cannot be read. */
export async function lacksModuleType(folder: string): Promise<boolean> {
  const file = join(folder, 'package.json')
  return existsSync(file) && JSON.parse(await readFile(file, 'utf8')).type !== 'module'
}

/** Adds to `.gitignore` what must not be committed. */
export async function keepSecretsOut(folder: string): Promise<void> {
  const file = join(folder, '.gitignore')
  const lines = existsSync(file) ? (await readFile(file, 'utf8')).split('\n') : []
  const missing = ['.env', '.grantkit/', 'data/'].filter((line) => !lines.includes(line))
  const start = lines.at(-1) ? '\n' : ''
  if (missing.length > 0) await appendFile(file, `${start}${missing.join('\n')}\n`)
}
