import { randomBytes } from 'node:crypto'
import { isLoopbackUrl } from '@grantkit/core/feature'
import { type Choices, DEFAULTS } from './choices.ts'
import type { ProjectFiles } from './program-files.ts'
import { fromTemplate, quotable } from './template.ts'

/** What `grantkit init` writes. */
export const SERVER_FILES = ['grantkit.config.ts', '.env', 'compose.yaml'] as const

/** The configuration of `@grantkit/server`. Only `.env` has secrets, new ones each time. */
export function serverFiles(choices: Choices): ProjectFiles {
  const { url, users, store, features, resource, accent } = choices
  const own = portOf(url)
  const chosen = [
    ...[store, ...features],
    ...(url.startsWith('https://') ? ['https'] : []),
    ...(isPublic(choices) ? ['public'] : []),
    ...(users === 'here' ? [] : ['external']),
    ...(resource === '' ? [] : ['resource']),
    ...(accent === undefined ? [] : ['accent']),
    ...(own === undefined ? [] : ['port']),
  ]
  const values = {
    ...{ url, accent, users: quotable(users), resource: quotable(resource), name: quotable(choices.name) },
    address: quotable(url),
    area: areaOf(choices.name),
    port: own,
    published: url.startsWith('https://') ? '3000' : new URL(url).port || '80',
    ...secrets(),
  }
  const from = (file: string) => fromTemplate(file, chosen, values)
  return {
    'grantkit.config.ts': from('grantkit.config.ts'),
    '.env': from('server.env'),
    'compose.yaml': from('compose.yaml'),
  }
}

/** Where a start has no defaults for development. */
export function isPublic({ url }: Choices): boolean {
  return !isLoopbackUrl(url)
}

function secrets() {
  const random = () => randomBytes(32).toString('base64url')
  // The password becomes part of a URL.
  return { secret: random(), password: randomBytes(20).toString('hex'), key: random() }
}

/** No proxy is in front of an address of this machine, so the server itself listens there. */
function portOf(url: string): string | undefined {
  const { protocol, port } = new URL(url)
  return protocol === 'http:' && port !== '' && port !== new URL(DEFAULTS.url).port ? port : undefined
}

/** The part of a scope before the colon. */
function areaOf(name: string): string {
  const area = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  return area.replaceAll(/^-|-$/g, '') || 'service'
}
