import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { certificateAuthority } from '@grantkit/test-servers/certificate-authority'
import { freePort } from '@grantkit/test-servers/free-port'
import { requireSystemPart, type SystemPartName } from '@grantkit/test-servers/system-parts'

/** A proxy that runs a configuration of docs/operations, but for its addresses and files. */
export interface ShippedProxy {
  readonly port: number
  /** The authority of its certificate, as PEM. */
  readonly ca: string
  close(): Promise<void>
}

/** Its name is in the certificate. */
export const HOST = 'auth.example.com'

interface Place {
  readonly port: number
  readonly folder: string
  readonly replicas: readonly [number, number]
}

interface Kind {
  readonly file: string
  readonly part: SystemPartName
  /** What stands in the file, and what stands there in the test. */
  readonly changes: (place: Place) => Readonly<Record<string, string>>
  /** The configuration file of the program. Default: the shipped one. */
  readonly main?: (place: Place, shipped: string) => string
  readonly command: (file: string) => readonly string[]
}

const KINDS = {
  nginx: {
    file: 'nginx.conf',
    part: 'nginx',
    changes: ({ port, folder, replicas: [one, other] }) => ({
      'server-1:3000': `127.0.0.1:${one}`,
      'server-2:3000': `127.0.0.1:${other}`,
      'listen 80;': `listen unix:${folder}/http;`,
      'listen 443 ': `listen 127.0.0.1:${port} `,
      '/etc/nginx/tls': folder,
      '/var/log/nginx/access.log': '/dev/null',
    }),
    main: ({ folder }, shipped) => `daemon off;
pid ${folder}/pid;
events {}
http {
${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${folder}/${kind};`).join('\n')}
${shipped}
}`,
    command: (file) => ['-e', 'stderr', '-c', file],
  },
  HAProxy: {
    file: 'haproxy.cfg',
    part: 'HAProxy',
    changes: ({ port, folder, replicas: [one, other] }) => ({
      'bind :443': `bind 127.0.0.1:${port}`,
      '/etc/haproxy': folder,
      '127.0.0.1:3001': `127.0.0.1:${one}`,
      '127.0.0.1:3002': `127.0.0.1:${other}`,
    }),
    command: (file) => ['-db', '-f', file],
  },
  Caddy: {
    file: 'Caddyfile',
    part: 'Caddy',
    changes: ({ port, folder, replicas: [one, other] }) => ({
      [`${HOST} {`]: `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${HOST}:${port} {\n\ttls ${folder}/fullchain.pem ${folder}/privkey.pem`,
      '127.0.0.1:3001': `127.0.0.1:${one}`,
      '127.0.0.1:3002': `127.0.0.1:${other}`,
    }),
    command: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
  },
} satisfies Record<string, Kind>

export type ProxyName = keyof typeof KINDS
export const PROXIES = Object.keys(KINDS) as ProxyName[]

const SHIPPED = new URL('../../../docs/operations/', import.meta.url)

export async function startProxy(
  name: ProxyName,
  replicas: readonly [number, number],
): Promise<ShippedProxy> {
  const kind: Kind = KINDS[name]
  const folder = await mkdtemp(join(tmpdir(), 'grantkit-proxy-'))
  const place = { port: await freePort(), folder, replicas }
  const ca = await writeCertificate(folder)
  const shipped = changed(await readFile(new URL(kind.file, SHIPPED), 'utf8'), kind.changes(place))
  const file = join(folder, kind.file)
  await writeFile(file, kind.main?.(place, shipped) ?? shipped)
  const program = spawn(requireSystemPart(kind.part), kind.command(file), {
    env: { ...process.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    stdio: 'ignore',
  })
  return {
    port: place.port,
    ca,
    async close() {
      await ended(program)
      await rm(folder, { recursive: true })
    },
  }
}

/** @throws Error when the file no longer has what the test has to change */
function changed(text: string, changes: Readonly<Record<string, string>>): string {
  return Object.entries(changes).reduce((before, [shipped, own]) => {
    if (!before.includes(shipped)) throw new Error(`The configuration has no ${shipped}`)
    return before.replaceAll(shipped, own)
  }, text)
}

/** @returns the certificate of the authority */
async function writeCertificate(folder: string): Promise<string> {
  const authority = certificateAuthority()
  const { cert, key } = authority.issue(HOST)
  const files = { 'fullchain.pem': cert, 'privkey.pem': key, 'tls.pem': `${cert}${key}` }
  for (const [file, content] of Object.entries(files)) await writeFile(join(folder, file), content)
  return authority.ca
}

async function ended(program: ChildProcess): Promise<void> {
  if (program.exitCode !== null || program.signalCode !== null) return
  const exit = once(program, 'exit')
  program.kill('SIGINT')
  await exit
}
